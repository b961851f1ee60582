"""What a search found, for a terminal and for the generated page: cells of tables from knee.json alone."""

from bench.analysis.evidence import Evidence
from bench.analysis.render import number

MIB = 1024 * 1024
KNEES = {"slo": "SLO knee", "curve": "curve knee", "queue": "queue knee"}

KNEE_COLUMNS = ("figure", "value [low, high]")
NOT_FOUND = "not found: every load passed or none did"
LOAD_COLUMNS = ("load", "in flight", "requests/s", "output tokens/s", "goodput, %", "TTFT p50, ms", "p95", "p99", "peak RSS, MiB")
OVERLOAD_COLUMNS = ("rate over the knee", "requests/s offered", "good requests/s", "share of the peak", "wanted", "refused",
                    "with Retry-After")


def interval(found: dict | None, scale: float = 1.0) -> str:
    if found is None or found.get("value") is None:
        return f"needs {found['needed']}" if found and "needed" in found else "–"
    bounds = [found.get("low"), found.get("high")]
    if bounds == [None, None]:
        return number(scale * found["value"], 3)
    low, high = ("∞" if b is None else number(scale * b, 3) for b in bounds)
    return f"{number(scale * found['value'], 3)} [{low}, {high}]"


def knee_cells(document: dict) -> list[list[str]]:
    """KNEE_COLUMNS: the three knees and the two rates that they stand between."""
    knees = document["knees"]
    found = {name: f"{interval(knees[name])} {knees[name]['unit']}" for name in KNEES if knees[name]["value"] is not None}
    rows = [[label, found.get(name, NOT_FOUND)] for name, label in KNEES.items()]
    rows.append(["in flight at the curve knee", interval(knees["curve_in_flight"])])
    rows.append(["one in flight, requests/s", interval(document["one_in_flight"])])
    most = document["most_closed"]
    rows.append(["most in a closed loop, requests/s", f"{interval(most)} at {number(most['in_flight'], 3)} in flight"])
    if law := document["usl"]:
        rows += [[f"scalability law: {name}", interval(law[member])]
                 for name, member in (("σ", "sigma"), ("κ", "kappa"), ("N*", "best_in_flight"))]
    return rows


def load_cells(document: dict) -> list[list[str]]:
    """LOAD_COLUMNS, closed loops first, each kind by its load."""
    rows = []
    for kind in ("closed", "open", "overload"):
        for load in sorted((one for one in document["loads"] if one["kind"] == kind), key=lambda one: one["rate"] or one["in_flight"]):
            rate = f"{number(load['rate'], 3)}/s" + " overload" * (kind == "overload") if load["rate"] else ""
            name = rate or f"{load['concurrency']} users"
            resident = load["peak_resident_bytes"]
            rows.append([name, number(load["in_flight"], 3), interval(load["throughput"]), interval(load["output_tokens_per_s"]),
                         interval(load["goodput"]["share"], 100), *(interval(load["ttft_ms"][p]) for p in ("p50", "p95", "p99")),
                         number(resident / MIB, 4) if resident else "–"])
    return rows


def overload_cells(document: dict) -> list[list[str]]:
    """OVERLOAD_COLUMNS."""
    return [[f"{row['factor']:g}×", number(row["rate"], 3), interval(row["goodput"]), interval(row["share_of_peak"], 100) + " %",
             f"{100 * row['wanted']:g} %: {'kept' if row['kept'] else 'not kept'}", str(row["refused"]),
             str(row["refused_with_retry_after"])] for row in document["overload"]]


def sentences(document: dict) -> list[str]:
    said = [document["users"]["sentence"]]
    if why := document["knees"]["why_they_differ"]:
        said.append(why[0].upper() + why[1:] + ".")
    said += [f"Void: {row['label']}, {len(row['tries'])} tries, the last {row['tries'][-1]['state'] if row['tries'] else 'empty'}."
             for row in document["void"]]
    return said + [f"Not measured: {text}." for text in document["skipped"]]


def source(document: dict) -> str:
    """What identifies the search in a table: its workload."""
    return f"{document['name']}, {document['loads'][0]['spec_sha256'][:12]} and {len(document['loads']) - 1} more"


def knee_rows(evidence: Evidence) -> list[tuple[list[str], str, str]]:
    """(cells, source, command) of every search under the evidence's folder, for a table with KNEE_COLUMNS."""
    return [(cells, source(d), d["command"]) for d in evidence.knees for cells in knee_cells(d)]


def load_rows(evidence: Evidence) -> list[tuple[list[str], str, str]]:
    """The same for LOAD_COLUMNS; each row is one result, named by its hash."""
    rows = []
    for document in evidence.knees:
        rows += [(cells, source(document), document["command"]) for cells in load_cells(document)]
    return rows


def overload_rows(evidence: Evidence) -> list[tuple[list[str], str, str]]:
    """The same for OVERLOAD_COLUMNS."""
    return [(cells, source(d), d["command"]) for d in evidence.knees for cells in overload_cells(d)]


def summary(document: dict) -> str:
    """For a terminal."""
    lines = [f"{document['name']} on {document['machine']}", ""]
    lines += _columns([list(LOAD_COLUMNS), *load_cells(document)]) + [""]
    lines += _columns(knee_cells(document)) + [""]
    if document["overload"]:
        lines += _columns([list(OVERLOAD_COLUMNS), *overload_cells(document)]) + [""]
    return "\n".join([*lines, *sentences(document)])


def _columns(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
