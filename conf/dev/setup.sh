# Sourced by ./dev: what a command needs before it can run. Everything here is idempotent; when nothing is missing it
# reads local state only and takes well under a second.
# shellcheck shell=bash

say() { printf '==> %s\n' "$*"; }
fail() {
  printf 'dev: %s\n' "$*" >&2
  exit 1
}

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

# logged TITLE COMMAND…: one progress line with the seconds so far; the output is kept and shown if the command fails.
logged() {
  local title=$1 log start=$SECONDS
  shift
  log=$cache/log/$(tr -cs 'a-z0-9' '-' <<<"${title,,}" | cut -c1-40).txt
  mkdir -p "$cache/log"
  "$@" >"$log" 2>&1 </dev/null &
  local pid=$!
  if [[ -t 1 ]]; then
    while kill -0 "$pid" 2>/dev/null; do
      printf '\r==> %s … %d s' "$title" $((SECONDS - start))
      sleep 0.2
    done
    printf '\r'
  fi
  if ! wait "$pid"; then
    tail -n 30 "$log" >&2
    fail "$title failed; the whole output is in $log"
  fi
  say "$title: $((SECONDS - start)) s"
}

# Debian packages of the lock that are absent or older than their entry, for the groups given.
missing_packages() {
  local -A have=()
  local status package version group name pinned file
  while read -r status package version; do
    if [[ $status == installed ]]; then have[${package%%:*}]=$version; fi
  done < <(dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n')
  while read -r group name pinned _ _ file; do
    [[ $group && " $* " == *" $group "* ]] || continue
    if [[ $file == command:* ]] && command -v "${file#command:}" >/dev/null; then continue; fi
    version=${have[$name]:-}
    if [[ $version != "$pinned" ]] && ! dpkg --compare-versions "${version:-0}" ge "$pinned"; then echo "$name"; fi
  done <conf/third_party.lock
}

need_packages() {
  command -v dpkg-query >/dev/null || fail "needs Debian 12 (see conf/README.md for the packages elsewhere)"
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then return; fi
  export DEBIAN_FRONTEND=noninteractive
  # One update a run is enough: the index does not age between two groups.
  if [[ -z ${apt_updated:-} ]]; then
    logged "Reading the Debian package index" as_root apt-get -q update
    apt_updated=1
  fi
  logged "Installing ${#missing[@]} Debian packages (${missing[*]:0:3} …)" \
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} > 0)); then
    fail "Debian has no recent enough ${missing[*]}; conf/third_party.lock names the versions"
  fi
}

# need TARGET… -- GROUP…: files of conf/dev/fetch.py and groups of Debian packages, fetched side by side.
need() {
  local targets=() groups=() pid
  while (($# > 0)) && [[ $1 != -- ]]; do
    targets+=("$1")
    shift
  done
  groups=("${@:2}")
  if ((${#targets[@]} == 0)); then
    need_packages deb/fetch "${groups[@]}"
    return
  fi
  need_packages deb/fetch
  # The clients are installed with npm, so these packages come before anything is fetched.
  if [[ " ${targets[*]} " == *" clients "* ]]; then need_packages deb/test; fi
  MIE_CACHE=$cache "$python" conf/dev/fetch.py "${targets[@]}" &
  pid=$!
  need_packages "${groups[@]}"
  wait "$pid" || fail "could not fetch ${targets[*]}"
}
