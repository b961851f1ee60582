"""What make_template_golden.py renders: one-line templates for each feature of the language, and chats for the chat templates
in templates/chat."""

VARIABLES = {
    "name": "Ann", "n": 3, "pi": 3.5, "yes": True, "no": False, "nil": None, "empty": "",
    "words": ["b", "A", "c"], "nums": [3, 1, 2], "mixed": [1, "a", None, 2.5, True],
    "user": {"name": "Bob", "age": 7, "tags": ["x", "y"], "items": 1},
    "users": [{"name": "Bob", "age": 7}, {"name": "al", "age": 3}, {"name": "Cy", "age": 7}],
    "text": "  Héllo wörld \n two\tthree  ", "quote": "it's \"q\" \\ \n end", "angle": "<a href='x'>&</a>",
    "lines": "one\ntwo\r\n\nfour", "csv": "a,b,,c", "deep": {"a": {"b": [{"c": "found"}]}}, "big": 9007199254740993,
    "small": 1e-7, "large": 1e16, "emoji": "a😀b", "weird": "\x00\x1f\x7f\u200b\u2028é", "num_text": " 42 ",
}  # fmt: skip

FEATURES = [
    # text and white space
    "", "plain", "a\nb\n", "a\n\n", "\n", "\r\na\rb\r\n", "{", "{ {", "a{b}c", "}}", "%}", "{{ '{{' }}", "{{ '%}' }}",
    "a {{ n }} b", "a {{- n -}} b", "a\n  {{ n }}\n b", "a \n {{- n }} \n b",
    "  {% if yes %}\n  x\n  {% endif %}\n  y", "a {% if yes %} b {% endif %} c", "a\n {%+ if yes %} b\n{% endif %}",
    "a\n{% if yes -%}\n   b\n   {%- endif %}\nc", "{% if yes +%}\nb{% endif %}", "x{# c #}y", "x {#- c -#} y", "x\n  {# c #}\ny",
    "x\n  {#+ c +#}\ny", "{# a\n b #}\nz", "{#-#}z", "a\t{%- if yes %}b{% endif %}", "\u00a0 {%- if yes %}b{% endif %}",
    "a\n\u2003{% if yes %}b{% endif %}", "{% raw %}{{ x }}{% endraw %}", "a {%- raw -%} {{ x }} {%- endraw -%} b",
    "  {% raw %}\n {% if %}\n  {% endraw %}\n.", "{% raw %}{% endraw +%}\n.", "{% raw %} {{ '{% endraw %}' }}",
    "{%if yes%}x{%endif%}", "{{n}}{{n}}", "a\n\n{% set x = 1 %}\n\n{{ x }}", "{% set x = 1 %}  {% set y = 2 %}\n{{ x }}{{ y }}",
    "{% for i in nums %}\n{{ i }}\n{% endfor %}", "{%- for i in nums -%}\n {{ i }} \n{%- endfor -%}", "a{{ '' }}\n", "a\n{{ '' }}\n",
    # literals
    "{{ 1 }} {{ 1.5 }} {{ 1e3 }} {{ 1_000 }} {{ 0x1F }} {{ 0b101 }} {{ 0o17 }} {{ 1.5e-3 }} {{ 00 }}",
    "{{ true }} {{ True }} {{ false }} {{ False }} {{ none }} {{ None }}", "{{ 'a' 'b' \"c\" }}",
    r"""{{ 'a\nb\t\'\"\\\x41\u00e9\U0001F600\101\q' }}""", r"""{{ "it's" }} {{ 'say "x"' }}""",
    "{{ [] }} {{ [1] }} {{ [1,] }} {{ () }} {{ (1,) }} {{ (1) }} {{ (1, 2) }} {{ {} }} {{ {'a': 1,} }}", "{{ 1, 2 }}", "{{ 1, }}",
    "{{ {'a': 1, 'b': [1, {'c': none}]} }}", "{{ {1: 'x', 2.5: 'y', none: 'z', true: 'w'} }}", "{{ {'a': 1, 'b': 2, 'a': 3} }}",
    "{{ mixed }}", "{{ user }}", "{{ quote }}|{{ [quote] }}", "{{ [weird, emoji] }}", "{{ [text] }}", "{{ ['\"', \"'\", '\"\\''] }}",
    "{{ small }} {{ large }} {{ 1e15 }} {{ 0.1 + 0.2 }} {{ 1.0 }} {{ 1e22 }} {{ 123456789.123 }} {{ -0.0 }} {{ 1e-4 }} {{ 1e-5 }}",
    "{{ 1e400 }} {{ -1e400 }}", "{{ big }}", "{{ nums.0 }} {{ nums.2 }}", "{{ 5 if yes }}{{ 5 if no }}|",
    # arithmetic
    "{{ 1 + 2 * 3 }} {{ (1 + 2) * 3 }} {{ 7 / 2 }} {{ 7 // 2 }} {{ 7 % 3 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ 2 ** 3 ** 2 }}",
    "{{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 7 // -2 }} {{ -7.5 // 2 }} {{ -7.5 % 2 }} {{ 7.5 % -2 }} {{ 5.0 // 0.3 }}",
    "{{ -2 ** 2 }} {{ 2 - -3 }} {{ +3 }} {{ --3 }} {{ - -3 }} {{ -n }} {{ +pi }} {{ -yes }} {{ yes + yes }} {{ yes * 3 }}",
    "{{ 1 - 2 - 3 }} {{ 2 * 3 % 4 }} {{ 10 / 4 / 5 }} {{ 10 - 2 ~ 3 }} {{ 1 ~ 2 + 3 }} {{ 'a' ~ 1 ~ none ~ 2.5 }}",
    "{{ 'a' + 'b' }} {{ 'ab' * 3 }} {{ 3 * 'ab' }} {{ 'x' * -1 }}| {{ [1] + [2] }} {{ [1, 2] * 2 }} {{ (1,) + (2,) }} {{ (1,) * 2 }}",
    "{{ 1 / 0 }}", "{{ 1 // 0 }}", "{{ 1 % 0 }}", "{{ 1.0 / 0 }}", "{{ 1.0 % 0 }}", "{{ 0 ** -1 }}", "{{ 1 + 'a' }}", "{{ 'a' + 1 }}",
    "{{ [1] + 'a' }}", "{{ [1] + (1,) }}", "{{ none + 1 }}", "{{ {} + {} }}", "{{ 'a' - 'b' }}", "{{ 'a' * 'b' }}", "{{ 'a' * 1.5 }}",
    "{{ -'a' }}", "{{ -none }}", "{{ +[] }}", "{{ 5 - none }}", "{{ 9223372036854775807 }}", "{{ 1.5 ** 2 }} {{ 4 ** 0.5 }}",
    "{{ big + 0.0 }} {{ big == 9007199254740992.0 }} {{ big > 9007199254740992.0 }} {{ 3 == 3.0 }} {{ 1 == true }} {{ 0 == false }}",
    "{{ '%s-%s' % ('a', 1) }} {{ '%d' % 3.9 }} {{ '%5.2f|%-6s|%06.1f|%+d|%x|%%' % (pi, 'ab', 2.25, 5, 255) }}", "{{ '%r' % 'a' }}",
    "{{ '%s' % [1, 2] }} {{ '%(a)s' % {'a': 1} }} {{ '%s' % undefined_thing }}|", "{{ '%s %s' % 'a' }}", "{{ '%s' % (1, 2) }}",
    "{{ 'plain' % 5 }}", "{{ '%d' % 'a' }}", "{{ '%5s|%-5s|%.2s' % ('é', 'é', 'abc') }} {{ '%g %e %G' % (0.0001, 12345.678, 1e20) }}",
    "{{ '%#x %o %X % d %05d %-5d|' % (255, 8, 255, 5, -42, 7) }}",
    # comparison and logic
    "{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 == 1.0 }} {{ 'a' < 'b' }} {{ 'B' < 'a' }} {{ [1, 2] < [1, 3] }} {{ (1,) < (1, 0) }}",
    "{{ 'a' == 'a' }} {{ 'a' != 'b' }} {{ 1 >= 1 }} {{ 1 <= 0 }} {{ none == none }} {{ [1, [2]] == [1, [2]] }} {{ [1] == (1,) }}",
    "{{ {'a': 1, 'b': 2} == {'b': 2, 'a': 1} }} {{ {'a': 1} == {'a': 2} }} {{ user == user }} {{ none == false }} {{ '' == none }}",
    "{{ 1 < 'a' }}", "{{ none < 1 }}", "{{ [1] < 1 }}", "{{ {} < {} }}", "{{ [1, 'a'] < [1, 2] }}", "{{ 'é' < 'z' }} {{ '😀' > 'é' }}",
    "{{ 'a' in 'abc' }} {{ 'x' in 'abc' }} {{ '' in '' }} {{ 1 in nums }} {{ 1.0 in nums }} {{ 'name' in user }} {{ 5 not in nums }}",
    "{{ 1 in 'abc' }}", "{{ 1 in 5 }}", "{{ 'a' in none }}", "{{ [] in {} }}", "{{ 1 in (1, 2) }} {{ [1] in [[1]] }} {{ none in [none] }}",
    "{{ not yes }} {{ not no }} {{ not not 1 }} {{ yes and no }} {{ yes or no }} {{ 0 or 'x' }} {{ 1 and 'x' }} {{ '' and 1 }}|",
    "{{ not 1 == 2 }} {{ not (yes and no) }} {{ yes and not no }} {{ 1 or 1 / 0 }} {{ 0 and 1 / 0 }} {{ no or empty or nil or 0 }}",
    "{{ 1 if 0 else 2 if 0 else 3 }} {{ 'a' if yes else 'b' }} {{ (1 if no else 2) + 1 }} {{ 1 if [] else 2 }} {{ 1 if [0] else 2 }}",
    "{{ 1 if '' else 2 }} {{ 1 if ' ' else 2 }} {{ 1 if 0.0 else 2 }} {{ 1 if {} else 2 }} {{ 1 if nothing else 2 }} {{ 1 if nil else 2 }}",
    # undefined
    "[{{ missing }}]", "{{ missing.x }}", "{{ user.missing }}|", "{{ user.missing.x }}", "{{ missing['x'] }}", "{{ missing() }}",
    "{{ user.missing() }}", "{{ nums[9] }}|", "{{ nums[9].x }}", "{{ missing + 1 }}", "{{ 1 + missing }}", "{{ 'a' + missing }}",
    "{{ missing ~ 'x' }}", "{{ missing == missing2 }} {{ missing == none }} {{ missing != 1 }}", "{{ missing < 1 }}", "{{ 1 < missing }}",
    "{{ -missing }}", "{% for x in missing %}x{% else %}none{% endfor %}", "{{ 1 in missing }}", "{{ missing in nums }}",
    "{{ missing in 'abc' }}", "{{ missing is defined }} {{ missing is undefined }} {{ user.x is defined }} {{ nil is defined }}",
    "{{ [missing] }}", "{{ missing|length }} {{ missing|upper }}| {{ missing|list }} {{ missing|join('x') }}|", "{{ missing|tojson }}",
    "{{ missing|int }}", "{{ missing|default('d') }} {{ user.x|default(5) }} {{ ''|default('d') }}| {{ ''|default('d', true) }}",
    "{{ nil|default('d') }} {{ nil|default('d', boolean=true) }} {{ 0|d('z', true) }} {{ missing|d }}|", "{{ missing[1:] }}",
    "{{ (5 if no).x }}", "{{ none.x }}|{{ 5.x }}|", "{{ none.x.y }}", "{{ user['no such'].x }}", "{{ nums.first.x }}", "{{ user[1] }}|",
    "{{ user[1].x }}", "{{ nums['a'].x }}", "{{ 'abc'[9] }}|{{ 'abc'['x'] }}|", "{{ nums[none] }}|", "{{ nums[none].x }}", "{{ nums[1.5] }}|",
    # attributes, items, slices
    "{{ user.name }} {{ user['name'] }} {{ user.tags[0] }} {{ user.tags[-1] }} {{ user.tags.0 }} {{ deep.a.b[0].c }} {{ deep['a']['b'] }}",
    "{{ user.items() }} {{ user['items'] }} {{ user.keys() }} {{ user.values() }}", "{{ user.get('age') }}",
    "{{ user.get('x') }} {{ user.get('x', 5) }}",
    "{{ nums[0] }} {{ nums[-1] }} {{ nums[1:] }} {{ nums[:2] }} {{ nums[::2] }} {{ nums[::-1] }} {{ nums[-2:] }} {{ nums[:-1] }} {{ nums[5:] }}",
    "{{ nums[1:2:1] }} {{ nums[:] }} {{ nums[2:0:-1] }} {{ nums[-9:9] }} {{ nums[9::-1] }} {{ nums[:-9:-1] }} {{ (1, 2, 3)[1:] }}",
    "{{ 'héllo'[1] }} {{ 'héllo'[-1] }} {{ 'héllo'[1:3] }} {{ 'héllo'[::-1] }} {{ emoji[1] }} {{ emoji[::2] }} {{ emoji[2:] }} {{ 'abc'[3:] }}|",
    "{{ nums[::0] }}", "{{ nums['a':] }}", "{{ user[1:] }}", "{{ nil[1:] }}", "{{ n[1:] }}", "{{ nums[yes] }} {{ nums[true:] }}",
    "{{ (nums)[0] }} {{ [1, 2][1] }} {{ {'a': 5}.a }} {{ {'a': 5}['a'] }} {{ 'x'.upper() }} {{ ('a' ~ 'b').upper() }} {{ [[1]][0][0] }}",
    "{{ nums[0:2][1] }} {{ 'a,b'.split(',')[1] }} {{ users[0].name.upper()[0] }} {{ users[-1]['name'] }}", "{{ nums[0, 1] }}|",
    # sandbox
    "{{ nums.append(1) }}", "{{ nums.append }}|", "{{ user.update({}) }}", "{{ user.pop('name') }}", "{{ nums.sort() }}", "{{ nums.append.x }}",
    "{{ ''.__class__.__mro__ }}", "{{ [].__class__.__base__ }}", "{{ user.__class__.x }}", "{{ ''['__class__'].x }}", "{{ nums() }}", "{{ 5() }}",
    "{{ 'x'() }}", "{{ user.name() }}", "{{ 'x'.nope() }}", "{{ user._private }}|", "{% set user.name = 1 %}", "{% set nope.x = 1 %}",
    # string methods
    "[{{ text.strip() }}] [{{ text.lstrip() }}] [{{ text.rstrip() }}] [{{ 'xxaxx'.strip('x') }}] [{{ 'abcab'.lstrip('ab') }}] [{{ 'xy'.strip('') }}]",
    "{{ 'aBc'.upper() }} {{ 'aBc'.lower() }} {{ 'aBc dEf'.title() }} {{ 'aBC dE'.capitalize() }} {{ 'straße'.upper() }} {{ 'ÀÉ'.lower() }}",
    "{{ \"they're bill's\".title() }} {{ 'x1y z-w'.title() }} {{ 'ßx'.title() }} {{ 'ǆx'.capitalize() }}", "{{ text.upper() }} {{ emoji.upper() }}",
    "{{ csv.split(',') }} {{ csv.split(',', 1) }} {{ csv.rsplit(',', 1) }} {{ text.split() }} {{ text.split(none, 1) }} {{ text.rsplit(none, 1) }}",
    "{{ ''.split() }} {{ ''.split(',') }} {{ 'a'.split(',') }} {{ ',a,'.split(',') }} {{ 'aXXbXXc'.split('XX') }} {{ 'a b'.split(maxsplit=0) }}",
    "{{ 'aaa'.rsplit('aa') }} {{ 'aaa'.split('aa') }} {{ csv.split(',', 0) }} {{ csv.split(sep=',', maxsplit=2) }} {{ csv.rsplit(',', -1) }}",
    "{{ 'x'.split('') }}", "{{ '  a  b '.rsplit() }}", "{{ lines.splitlines() }} {{ lines.splitlines(true) }} {{ ''.splitlines() }} {{ 'a\n'.splitlines() }}",
    "{{ 'abc'.startswith('ab') }} {{ 'abc'.endswith('bc') }} {{ 'abc'.startswith(('x', 'a')) }} {{ 'abc'.startswith('b', 1) }} {{ 'abc'.endswith('b', 0, 2) }}",
    "{{ 'abc'.startswith('') }} {{ 'abc'.startswith('', 4) }} {{ 'abc'.endswith(()) }} {{ 'é'.startswith('é') }}", "{{ 'abc'.startswith(1) }}", "{{ 'abc'.startswith(['a']) }}",
    "{{ 'abcabc'.find('c') }} {{ 'abcabc'.find('x') }} {{ 'abcabc'.rfind('c') }} {{ 'ébc'.find('c') }} {{ 'abc'.find('') }} {{ 'abc'.find('b', 2) }} {{ 'abc'.index('c') }}",
    "{{ 'abc'.index('x') }}", "{{ 'aaaa'.count('aa') }} {{ 'abc'.count('') }} {{ 'abcb'.count('b', 2) }} {{ 'abc'.count('x') }} {{ 'héé'.count('é') }}",
    "{{ 'aXbX'.replace('X', 'yy') }} {{ 'aXbX'.replace('X', '', 1) }} {{ 'abc'.replace('', '-') }} {{ 'abc'.replace('', '-', 2) }} {{ 'aaa'.replace('aa', 'b') }} {{ ''.replace('', 'x') }}",
    "{{ ','.join(words) }} {{ ''.join([]) }}| {{ '-'.join('abc') }} {{ ', '.join(user) }}", "{{ ','.join(nums) }}", "{{ ','.join(5) }}",
    "{{ 'a=b=c'.partition('=') }} {{ 'a=b=c'.rpartition('=') }} {{ 'abc'.partition('=') }} {{ 'abc'.rpartition('=') }}", "{{ 'prefix-x'.removeprefix('prefix-') }} {{ 'x.py'.removesuffix('.py') }} {{ 'x'.removeprefix('y') }}",
    "{{ 'abc'.isalpha() }} {{ 'ab1'.isalnum() }} {{ '12'.isdigit() }} {{ ''.isdigit() }} {{ ' '.isspace() }} {{ 'AB'.isupper() }} {{ 'aB'.islower() }} {{ 'a1'.islower() }} {{ '1'.isupper() }} {{ '²'.isdigit() }} {{ '²'.isdecimal() }} {{ '½'.isnumeric() }}",
    "[{{ 'ab'.center(5) }}] [{{ 'ab'.ljust(5, '.') }}] [{{ 'ab'.rjust(5) }}] [{{ 'abc'.center(6, '*') }}] [{{ 'ab'.center(1) }}] [{{ 'é'.rjust(3) }}]",
    "{{ '{} {}'.format(1, 'a') }} {{ '{1}{0}'.format('a', 'b') }} {{ '{x}'.format(x=5) }} {{ '{{}}'.format() }} {{ '{!r}'.format('a') }}", "{{ '{}'.format() }}",
    "{{ [1, 2, 1].count(1) }} {{ [1, 2].index(2) }} {{ (1, 2).count(2) }} {{ [1].copy() }} {{ user.copy().name }}", "{{ [1].index(5) }}", "{{ (1,).index(5) }}",
    # filters: text
    "[{{ text|trim }}] [{{ 'xax'|trim('x') }}] {{ 'ab'|upper }} {{ 'AB'|lower }} {{ 'hello world-foo (bar) it\\'s'|title }} {{ 'aBC'|capitalize }} {{ 5|upper }} {{ none|upper }}",
    "{{ 'a-b-c'|replace('-', '+') }} {{ 'aaa'|replace('a', 'b', 2) }} {{ 5|replace(5, 6) }} {{ 'abc'|replace('', '.') }}", "[{{ 'ab'|center(6) }}]",
    "{{ 'a\nb\n\nc'|indent }}|{{ 'a\nb'|indent(2, true) }}|{{ 'a\n\nb'|indent(2, blank=true) }}|{{ 'a\nb'|indent('> ') }}|{{ ''|indent }}|{{ 'a\n'|indent(1) }}|", "{{ 5|indent }}",
    "{{ angle|e }} {{ angle|escape }} {{ 5|e }} {{ 'a'|safe }} {{ 5|string }} {{ none|string }} {{ [1, 'a']|string }} {{ 1.0|string ~ '!' }}",
    "{{ 'foo bar baz qux'|truncate(9) }} {{ 'foo bar baz qux'|truncate(9, true) }} {{ 'foo bar baz qux'|truncate(11) }} {{ 'foo bar baz'|truncate(6, false, '~', 0) }}",
    "{{ 'a b  c_d é'|wordcount }} {{ ''|wordcount }}", "{{ '%s %s'|format(1, 'x') }} {{ '%(a)s'|format(a=3) }}", "{{ words|join(', ') }} {{ nums|join }} {{ users|join('/', attribute='name') }} {{ 'abc'|join('-') }} {{ mixed|join(',') }} {{ []|join }}|",
    # filters: numbers
    "{{ -3|abs }} {{ (-3)|abs }} {{ -2.5|abs }} {{ yes|abs }}", "{{ 'a'|abs }}", "{{ '42'|int }} {{ num_text|int }} {{ 'x'|int }} {{ 'x'|int(7) }} {{ '3.9'|int }} {{ 3.9|int }} {{ -3.9|int }} {{ '0x1f'|int(0, 16) }} {{ '1f'|int(base=16) }} {{ none|int }} {{ yes|int }} {{ '1_0'|int }} {{ '-5'|int }} {{ ''|int }} {{ '1e2'|int }}",
    "{{ '1.5'|float }} {{ 'x'|float }} {{ 3|float }} {{ ' 2 '|float }} {{ 'x'|float(1.5) }} {{ '1e3'|float }} {{ 'inf'|float }} {{ none|float }}",
    "{{ 2.5|round }} {{ 3.5|round }} {{ 2.567|round(2) }} {{ 2.567|round(1, 'floor') }} {{ 2.5|round(0, 'ceil') }} {{ 1234|round(-2) }} {{ 5|round }} {{ 2.675|round(2) }} {{ -2.5|round }} {{ 0.5|round }} {{ 1.0|round(3) }} {{ 25|round(-1) }} {{ 35|round(-1) }}",
    "{{ 2.5|round(method='up') }}", "{{ 'a'|round }}",
    # filters: sequences
    "{{ nums|length }} {{ 'héy'|length }} {{ user|count }} {{ ()|length }} {{ emoji|length }}", "{{ 5|length }}", "{{ nums|first }} {{ nums|last }} {{ 'abc'|first }} {{ 'abc'|last }} {{ user|first }} {{ []|first }}| {{ []|last }}| {{ ''|first }}|",
    "{{ 5|first }}", "{{ []|first + 1 }}", "{{ 'abc'|list }} {{ user|list }} {{ (1, 2)|list }} {{ range(3)|list }}", "{{ 5|list }}", "{{ nums|sort }} {{ words|sort }} {{ words|sort(case_sensitive=true) }} {{ nums|sort(reverse=true) }} {{ users|sort(attribute='name')|map(attribute='name')|list }}",
    "{{ users|sort(attribute='age')|map(attribute='name')|list }} {{ users|sort(attribute='age,name')|map(attribute='name')|list }} {{ users|sort(attribute='age', reverse=true)|map(attribute='name')|list }} {{ 'bca'|sort }}", "{{ mixed|sort }}", "{{ [[2, 'a'], [1, 'b']]|sort(attribute='1') }} {{ [[2, 'a'], [1, 'b']]|sort(attribute=0) }}",
    "{{ nums|reverse|list }} {{ 'héy'|reverse }} {{ (1, 2)|reverse|list }} {{ user|reverse|list }}", "{{ 5|reverse }}", "{{ [1, 2, 1, 'a', 'A']|unique|list }} {{ ['a', 'A']|unique(true)|list }} {{ users|unique(attribute='age')|map(attribute='name')|list }}", "{{ [[1]]|unique|list }}",
    "{{ nums|sum }} {{ [0.1, 0.2]|sum }} {{ users|sum(attribute='age') }} {{ []|sum }} {{ nums|sum(start=10) }} {{ [[1], [2]]|sum(start=[]) }}", "{{ words|sum }}", "{{ nums|min }} {{ nums|max }} {{ words|min }} {{ words|max }} {{ words|max(case_sensitive=true) }} {{ users|min(attribute='age') }} {{ []|min }}| {{ 'bca'|max }}",
    "{{ nums|batch(2)|list }} {{ nums|batch(2, 'x')|list }} {{ []|batch(3)|list }}", "{{ user|items|list }} {{ missing|items|list }} {{ {}|items|list }}", "{{ nums|items|list }}",
    "{{ {'b': 1, 'A': 2, 'c': 0}|dictsort }} {{ {'b': 1, 'A': 2}|dictsort(true) }} {{ {'b': 1, 'A': 2, 'c': 0}|dictsort(by='value') }} {{ {'b': 1, 'A': 2}|dictsort(reverse=true) }}", "{{ nums|dictsort }}", "{{ user|dictsort(by='x') }}",
    "{{ words|map('upper')|list }} {{ users|map(attribute='name')|join(',') }} {{ nums|map('string')|join }} {{ users|map(attribute='x', default='-')|list }} {{ words|map('replace', 'b', 'z')|list }} {{ []|map('upper')|list }} {{ [deep]|map(attribute='a.b.0.c')|list }}",
    "{{ nums|map('nope')|list }}", "{{ nums|map(attribute='x')|list }}", "{{ [words]|map('join', '-')|list }}", "{{ mixed|select|list }} {{ nums|select('odd')|list }} {{ nums|select('gt', 1)|list }} {{ mixed|select('string')|list }} {{ mixed|reject|list }} {{ nums|reject('odd')|list }} {{ nums|select('in', [1, 2])|list }}",
    "{{ users|selectattr('age', 'equalto', 7)|map(attribute='name')|list }} {{ users|selectattr('age')|list|length }} {{ users|rejectattr('age', 'eq', 7)|map(attribute='name')|list }} {{ users|selectattr('x', 'defined')|list }} {{ users|selectattr('x', 'undefined')|list|length }} {{ users|selectattr('name', 'in', ['al'])|list }} {{ users|selectattr('age', '==', 3)|first }}",
    "{{ users|selectattr('age', 'nope')|list }}", "{{ users|selectattr('age', '>', 5)|list|count }}", "{% set g = nums|map('string') %}{{ g|list }}{{ g|list }}", "{% set g = words|select %}{{ g|first }}{{ g|first }}{{ g|join }}", "{{ nums|map('string')|length }}", "{{ (nums|map('string')|list)|last }}", "{{ 'x' if nums|select('gt', 99) else 'y' }}",
    "{{ user|attr('name') }}|{{ 'a'|attr('upper')() }}", "{{ nums is sequence and nums|first > 2 }} {{ nums|sort|first }} {{ nums|length > 2 and words|length == 3 }} {{ -1|abs + 1 }} {{ 'a'|upper ~ 'b'|upper }} {{ 'ab'|upper|lower|length + 1 }} {{ not nums|length }}",
    # tojson
    "{{ user|tojson }} {{ mixed|tojson }} {{ quote|tojson }} {{ text|tojson }} {{ weird|tojson }} {{ emoji|tojson }} {{ angle|tojson }} {{ none|tojson }} {{ (1, 2)|tojson }} {{ {}|tojson }} {{ []|tojson }} {{ 1.0|tojson }} {{ 1e400|tojson }}",
    "{{ user|tojson(indent=2) }}", "{{ {'a': [], 'b': {}, 'c': [1, [2]]}|tojson(indent=4) }}", "{{ user|tojson(indent='--') }}", "{{ user|tojson(indent=0) }}", "{{ user|tojson(separators=(',', ':')) }} {{ {'b': 1, 'a': 2}|tojson(sort_keys=true) }} {{ 'é😀'|tojson(ensure_ascii=true) }} {{ user|tojson(separators=(',', ':'), indent=1) }}",
    "{{ {1: 2, none: 3, true: 4, 2.5: 5}|tojson }}", "{{ namespace()|tojson }}", "{{ range(3)|tojson }}", "{{ user.items()|tojson }}", "{{ user|tojson|length }} {{ [deep]|tojson }} {{ users|tojson }} {{ big|tojson }} {{ small|tojson }}", "{{ user|tojson(true) }}",
    # tests
    "{{ n is number }} {{ pi is number }} {{ yes is number }} {{ name is number }} {{ n is integer }} {{ yes is integer }} {{ pi is float }} {{ name is string }} {{ nil is none }} {{ yes is boolean }} {{ yes is true }} {{ 1 is true }} {{ no is false }} {{ 0 is false }}",
    "{{ user is mapping }} {{ nums is mapping }} {{ nums is sequence }} {{ user is sequence }} {{ name is sequence }} {{ n is sequence }} {{ missing is sequence }} {{ nums is iterable }} {{ n is iterable }} {{ name is iterable }} {{ user is iterable }} {{ missing is iterable }} {{ range(2) is sequence }} {{ user.items() is sequence }}",
    "{{ 3 is odd }} {{ 4 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }} {{ 3 is eq 3 }} {{ 3 is equalto(4) }} {{ 3 is ne 4 }} {{ 3 is gt 2 }} {{ 3 is lessthan 2 }} {{ 3 is ge(3) }} {{ 1 is in nums }} {{ 1 is not in [2] }} {{ 'a' is in 'abc' }}", "{{ 'a' is odd }}", "{{ 5 is divisibleby 0 }}",
    "{{ 'ab' is lower }} {{ 'AB' is upper }} {{ 'aB' is upper }} {{ 5 is lower }} {{ range is callable }} {{ 5 is callable }} {{ 'upper' is filter }} {{ 'nope' is filter }} {{ 'odd' is test }} {{ yes is sameas true }} {{ 1 is sameas true }} {{ none is sameas none }} {{ 'x' is escaped }}",
    "{{ n is not none }} {{ not n is none }} {{ n is defined and n is number }} {{ n is none or n is number }} {{ 'a' if n is number else 'b' }} {{ n is number and name is string }} {{ user.tags is iterable and user.tags is not string and user.tags is not mapping }}", "{{ n is number is none }}", "{{ n is nope }}", "{% if no %}{{ n is nope }}{% endif %}x", "{% if yes %}{{ n is nope }}{% endif %}",
    "{{ n|nope }}", "{% if no %}{{ n|nope }}{% endif %}x", "{{ n|nope if no }}x", "{{ n if yes else n|nope }}", "{% if no %}{% for x in nums %}{{ n|nope }}{% endfor %}{% endif %}x",
    # statements: if, for
    "{% if n == 1 %}a{% elif n == 3 %}b{% else %}c{% endif %}", "{% if no %}a{% elif no %}b{% endif %}.", "{% if n > 2 and yes %}x{% endif %}{% if not no %}y{% endif %}{% if (no) %}z{% endif %}", "{% if missing %}a{% else %}b{% endif %}", "{% if yes %}{% if no %}a{% else %}b{% endif %}{% endif %}", "{% if nil is none and n %}x{% endif %}", "{% if 1 if yes else 0 %}x{% endif %}",
    "{% for x in nums %}{{ x }},{% endfor %}", "{% for x in [] %}{{ x }}{% else %}e{% endfor %}", "{% for c in 'héy' %}[{{ c }}]{% endfor %}", "{% for k in user %}{{ k }} {% endfor %}", "{% for k, v in user.items() %}{{ k }}={{ v }};{% endfor %}", "{% for a, b in [[1, 2], (3, 4)] %}{{ a }}{{ b }}{% endfor %}", "{% for (a, b), c in [((1, 2), 3)] %}{{ a }}{{ b }}{{ c }}{% endfor %}", "{% for a, b in [[1]] %}{% endfor %}", "{% for a, b in [[1, 2, 3]] %}{% endfor %}", "{% for a, b in [5] %}{% endfor %}", "{% for a, b in ['xy'] %}{{ a }}-{{ b }}{% endfor %}", "{% for x in 5 %}{% endfor %}", "{% for x in none %}{% endfor %}",
    "{% for x in nums %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.depth0 }} {% endfor %}", "{% for x in nums %}{{ loop.previtem }}<{{ x }}>{{ loop.nextitem }} {% endfor %}", "{% for x in nums %}{{ loop.cycle('a', 'b') }}{% endfor %}", "{% for x in [1, 1, 2, 2] %}{{ loop.changed(x) }} {% endfor %}", "{% for x in nums %}{{ loop.previtem is defined }} {{ loop.nextitem is defined }} {% endfor %}", "{% for x in nums %}{{ loop }}{% endfor %}", "{% for x in nums %}{{ loop.nope }}|{% endfor %}", "{% for x in nums %}{{ loop(x) }}{% endfor %}", "{{ loop }}|", "{% for x in nums %}{% for y in words %}{{ loop.index }}{% endfor %}{{ loop.index }} {% endfor %}", "{% for x in nums %}{% set outer = loop %}{% for y in words %}{{ outer.index }}{{ loop.index }} {% endfor %}{% endfor %}",
    "{% for x in nums if x > 1 %}{{ x }}{{ loop.index }}{{ loop.last }} {% endfor %}", "{% for x in nums if x > 9 %}{{ x }}{% else %}none{% endfor %}", "{% for u in users if u.age == 7 and u.name != 'Cy' %}{{ u.name }}{% endfor %}", "{% for x in nums %}{% if x == 1 %}{% break %}{% endif %}{{ x }}{% endfor %}", "{% for x in nums %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% endfor %}", "{% for x in nums %}{% for y in nums %}{% if y == 1 %}{% break %}{% endif %}{{ x }}{{ y }} {% endfor %}{% endfor %}", "{% for x in nums %}{% break %}{% else %}e{% endfor %}.", "{% break %}", "{% for x in range(3) %}{{ x }}{% endfor %} {% for x in range(1, 10, 3) %}{{ x }}{% endfor %} {% for x in range(3, 0, -1) %}{{ x }}{% endfor %} {{ range(3) }} {{ range(0, 5, 2) }} {{ range(5)[1] }} {{ range(5)|length }} {{ range(5)[1:3]|list }} {{ 3 in range(5) }}", "{{ range(0, 5, 0) }}", "{{ range('a') }}", "{{ range(1.5) }}", "{{ range(1000000) }}", "{% for x in nums|sort|reverse %}{{ x }}{% endfor %}", "{% for x in nums + [9] %}{{ x }}{% endfor %}", "{% for x in 1, 2 %}{{ x }}{% endfor %}", "{% for x in (nums if yes else []) %}{{ x }}{% endfor %}",
    # statements: set, namespace, with, scoping
    "{% set x = 5 %}{{ x }}", "{% set a, b = 1, 2 %}{{ a }}{{ b }}", "{% set a, b = [1, 2] %}{{ b }}{{ a }}", "{% set x %}a{{ n }}b{% endset %}[{{ x }}]", "{% set x | upper %}a{{ n }}b{% endset %}[{{ x }}]", "{% set x | replace('a', 'z') | upper %}ab{% endset %}{{ x }}", "{% set x = 1 %}{% for i in nums %}{% set x = x + i %}{{ x }} {% endfor %}{{ x }}", "{% set x = 1 %}{% if yes %}{% set x = 2 %}{% endif %}{{ x }}", "{% for i in nums %}{% if loop.first %}{% set y = i %}{% endif %}[{{ y }}]{% endfor %}", "{% set ns = namespace(x=0, l=[]) %}{% for i in nums %}{% set ns.x = ns.x + i %}{% set ns.l = ns.l + [i] %}{% endfor %}{{ ns.x }}{{ ns.l }}{{ ns }}", "{% set ns = namespace() %}{% set ns.a = 1 %}{{ ns.a }}{{ ns.b }}|{{ ns['a'] }}", "{% set ns = namespace({'a': 1}, b=2) %}{{ ns.a }}{{ ns.b }}", "{% set ns = namespace() %}{{ ns.missing.x }}", "{% set ns = namespace() %}{% set ns.a, ns.b = 1, 2 %}{{ ns.a }}{{ ns.b }}", "{% set ns = namespace() %}{% set ns.x %}block{% endset %}{{ ns.x }}", "{% set ns = namespace(_x=1) %}", "{% set ns = namespace() %}{% set ns._x = 1 %}", "{% set ns = namespace(items=3) %}{{ ns.items }}", "{% with a = 1, b = n %}{{ a }}{{ b }}{% endwith %}{{ a }}|", "{% with %}{% set q = 1 %}{{ q }}{% endwith %}{{ q }}|", "{% set a = 1 %}{% with a = 2, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}", "{% filter upper %}a{{ name }}b{% endfilter %}", "{% filter replace('a', 'x') | upper %}banana{% endfilter %}", "{{ dict(a=1, b=2) }} {{ dict({'x': 1}, y=2) }} {{ dict([['k', 'v']]) }} {{ dict() }}", "{% set messages = messages + [1] %}{{ messages }}", "{% generation %}x{{ n }}{% endgeneration %}", "{% set x = 1 %}{% set x = x + 1 %}{{ x }}", "{% set loop_messages = users[1:] %}{{ loop_messages|length }}", "{% set x = 'a' if yes else 'b' %}{{ x }}", "{% set (a, b) = (1, 2) %}{{ a }}{{ b }}",
    # macros
    "{% macro f(a, b=2) %}[{{ a }}{{ b }}]{% endmacro %}{{ f(1) }}{{ f(1, 3) }}{{ f(b=5, a=4) }}{{ f() }}", "{% macro f() %}x{% endmacro %}{{ f()|upper }} {{ f() ~ 'y' }} {{ f }}", "{% macro f(a) %}{{ a }}{% endmacro %}{{ f(1, 2) }}", "{% macro f(a) %}{{ a }}{% endmacro %}{{ f(b=1) }}", "{% macro f(a) %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, 2, 3, x=4) }}", "{% macro f(a, b=a ~ 'x') %}{{ b }}{% endmacro %}{{ f('q') }}", "{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}", "{% set g = 5 %}{% macro f() %}{{ g }}{% endmacro %}{{ f() }}{% set g = 6 %}{{ f() }}", "{% macro f() %}{% set x = 1 %}{{ x }}{% endmacro %}{{ f() }}{{ x }}|", "{% for i in nums %}{% macro f() %}{{ i }}{% endmacro %}{{ f() }}{% endfor %}", "{% macro f() %}<{{ caller() }}>{% endmacro %}{% call f() %}in{{ n }}{% endcall %}", "{% macro f() %}{{ caller(1, b=2) }}{% endmacro %}{% call(a, b) f() %}{{ a }}{{ b }}{% endcall %}", "{% macro f() %}{{ caller() }}{% endmacro %}{{ f() }}", "{% macro f() %}x{% endmacro %}{% call f() %}y{% endcall %}", "{% macro outer() %}{% macro inner() %}i{% endmacro %}{{ inner() }}{% endmacro %}{{ outer() }}", "{% macro f(x) %}{% for i in x %}{{ i }}{% if not loop.last %},{% endif %}{% endfor %}{% endmacro %}{{ f(nums) }} {{ f(*[[1]]) }} {{ f(**{'x': [2]}) }}", "{% macro f(a) %}{{ a.x.y }}{% endmacro %}{{ f() }}", "{% macro f(a) -%}\n  {{ a }}\n{%- endmacro %}{{ f(1) }}|", "{{ f() }}{% macro f() %}{% endmacro %}", "{% macro f(m) %}{{ m.name }}{% endmacro %}{% for u in users %}{{ f(u) }}{% endfor %}", "{% macro f(a=none) %}{{ a is none }}{% endmacro %}{{ f() }}{{ f(1) }}", "{{ dict(**user) }}", "{% macro f(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ f(*nums[:1], b=2) }}",
    # functions and errors
    "{{ raise_exception('no: ' ~ name) }}", "{% if no %}{{ raise_exception('x') }}{% endif %}ok", "{{ raise_exception(5) }}", "{{ raise_exception('') }}", "{{ strftime_now('%d %b %Y %H:%M:%S %j %%') }}", "{{ strftime_now('%Y-%m-%d') }} {{ strftime_now('')|length }}", "{{ tools is none }} {{ documents is none }} {{ bos_token }}{{ eos_token }} {{ add_generation_prompt }}", "{{ messages }}",
    # syntax errors
    "{{", "{{ }}", "{% %}", "{% if %}x{% endif %}", "{% if yes %}x", "\n\n{% if yes %}\nx", "{% endif %}", "{% nope %}", "{% for x nums %}{% endfor %}", "{{ 1 + }}", "{{ (1 }}", "{{ 1) }}", "{{ [1 }}", "{{ 'abc }}", "{{ a b }}", "{% set 1 = 2 %}", "{% set x %}", "{{ x. }}", "{{ x[ }}", "{{ f(a=1, 2) }}", "{{ f(**a, *b) }}", "{# open", "{% raw %}x", "{% macro f(a=1, b) %}{% endmacro %}", "{{ x | }}", "{{ x is }}", "{{ @ }}", "\n{{ $ }}", "{% if x %}{% else %}{% else %}{% endif %}", "{% elif x %}", "{{ 'a\\x4' }}", "{{ {1} }}", "{{ {1: } }}", "{% for x in nums %}{% endif %}", "{% set true = 1 %}", "{{ 1 if }}", "{% continue %}", "{% if yes %}\n\n{{ 1 + }}{% endif %}", "{{ a ? b : c }}", "{{ x!y }}", "{{ a && b }}", "{% set x = 1 = 2 %}", "{{ {'a': 1]}} }}", "{% endfor %}", "{% if x = 1 %}{% endif %}", "{{ not }}", "{{ x.1.2 }}|", "{{ nums.0.x }}", "{{ 1..x }}", "{% call n %}{% endcall %}", "{% filter %}{% endfilter %}",
]  # fmt: skip

USER = {"role": "user", "content": "Hi <|im_end|> there"}
ANSWER = {"role": "assistant", "content": " Hello!  \n"}
SYSTEM = {"role": "system", "content": "Be brief.\n"}
THINKING = {"role": "assistant", "content": "<think>\nhm\n</think>\n\nAnswer 4."}
CALL = {
    "role": "assistant", "content": None,
    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": {"city": "Zürich", "days": 2}}},
                   {"id": "call_2", "type": "function", "function": {"name": "time", "arguments": {}}}],
}  # fmt: skip
RESULT = {"role": "tool", "tool_call_id": "call_1", "name": "weather", "content": "{\"t\": 21.5}"}
TIME = {"role": "tool", "tool_call_id": "call_2", "name": "time", "content": "12:00"}
PARTS = {"role": "user", "content": [{"type": "text", "text": "part one, "}, {"type": "text", "text": "part two"}]}
TOOLS = [{"type": "function", "function": {"name": "weather", "description": "Tells \"it\"", "parameters": {
    "type": "object", "properties": {"city": {"type": "string", "description": "Where"}, "days": {"type": "integer", "enum": [1, 2]}},
    "required": ["city"]}}}]  # fmt: skip

CHATS = {
    "empty": {"messages": []},
    "user": {"messages": [USER], "prompt": True},
    "user without prompt": {"messages": [USER]},
    "system and user": {"messages": [SYSTEM, USER], "prompt": True},
    "conversation": {"messages": [SYSTEM, USER, ANSWER, USER], "prompt": True},
    "two users": {"messages": [USER, USER], "prompt": True},
    "assistant first": {"messages": [ANSWER, USER], "prompt": True},
    "closed": {"messages": [USER, ANSWER]},
    "continued": {"messages": [USER, ANSWER], "continue": True},
    "continued short": {"messages": [USER, {"role": "assistant", "content": "i"}], "continue": True},
    "continued empty": {"messages": [USER, {"role": "assistant", "content": ""}], "continue": True},
    "continued parts": {"messages": [USER, {**PARTS, "role": "assistant"}], "continue": True},
    "thinking": {"messages": [USER, THINKING, USER], "prompt": True},
    "thinking off": {"messages": [USER, THINKING, USER], "prompt": True, "kwargs": {"enable_thinking": False}},
    "tools": {"messages": [SYSTEM, USER], "prompt": True, "kwargs": {"given_tools": TOOLS}},
    "tool calls": {"messages": [USER, CALL, RESULT, TIME], "prompt": True, "kwargs": {"given_tools": TOOLS}},
    "parts": {"messages": [PARTS], "prompt": True},
    "unknown role": {"messages": [{"role": "alien", "content": "x"}], "prompt": True},
    "late system": {"messages": [USER, SYSTEM], "prompt": True},
}
