"""Pages: headings, paragraphs, tables and plots, once as Markdown and once as an HTML file that needs nothing else."""

import html
import math
import os
from dataclasses import dataclass, field
from pathlib import Path

from bench.analysis.intervals import Interval
from bench.analysis.plots.catalogue import Drawn

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #ddd; }
table { border-collapse: collapse; font-size: 13px; margin: .8rem 0; display: block; overflow-x: auto; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #e6e6e6; text-align: right; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; } th { border-bottom: 1px solid #999; }
figure { margin: 1.2rem 0; } svg { max-width: 100%; height: auto; }
code, pre { font-size: 13px; background: #f6f6f6; padding: .1rem .25rem; }
.warning { background: #fff3cd; padding: .6rem .9rem; border-left: 4px solid #d55e00; }
"""


@dataclass
class Table:
    columns: list[str]
    rows: list[list[str]]


@dataclass
class Section:
    heading: str
    text: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    plots: list[Drawn] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    warning: bool = False


@dataclass
class Page:
    title: str
    sections: list[Section]


def write_text(path: Path, text: str) -> None:
    """Under a temporary name first: a file that is there is whole."""
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


def number(value: float | None, digits: int = 4) -> str:
    """Four significant digits, no powers of ten between a thousandth and a billion."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size >= digits - 1:
        return f"{value:.0f}"
    return f"{value:.{digits - 1 - size}f}" if size > -5 else f"{value:.3g}"


def interval(found: Interval, digits: int = 4) -> str:
    if not found.there:
        return number(found.estimate, digits)
    return f"{number(found.estimate, digits)} [{number(found.low, digits)}, {number(found.high, digits)}]"


def as_markdown(page: Page, plots: str | None = "plots") -> str:
    """`plots`: folder of the PNGs, as seen from the page; None leaves them out."""
    lines = [f"# {page.title}", ""]
    for section in page.sections:
        lines += [f"## {section.heading}", ""]
        lines += [line for paragraph in section.text for line in (paragraph, "")]
        for table in section.tables:
            lines += [*markdown_table(table), ""]
        for drawn in section.plots:
            if not drawn.missing and plots is not None:
                lines += [f"![{drawn.plot.title}]({plots}/{drawn.plot.stem}.png)", ""]
        if section.code:
            lines += ["```", *section.code, "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def markdown_table(table: Table) -> list[str]:
    head = ["| " + " | ".join(_cell(c) for c in table.columns) + " |", "|" + "---|" + "---:|" * (len(table.columns) - 1)]
    return head + ["| " + " | ".join(_cell(c) for c in row) + " |" for row in table.rows]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def as_html(page: Page) -> str:
    body = [f"<h1>{html.escape(page.title)}</h1>"]
    for section in page.sections:
        body.append(f"<h2>{html.escape(section.heading)}</h2>")
        kind = ' class="warning"' if section.warning else ""
        body += [f"<p{kind}>{html.escape(paragraph)}</p>" for paragraph in section.text]
        body += [_html_table(table) for table in section.tables]
        body += [f'<figure aria-label="{html.escape(d.plot.title)}">{_inlined(d.svg)}</figure>' for d in section.plots if not d.missing]
        if section.code:
            body.append("<pre>" + html.escape("\n".join(section.code)) + "</pre>")
    return ("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" "
            "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
            f"<title>{html.escape(page.title)}</title><style>{STYLE}</style></head>\n<body>\n" + "\n".join(body) + "\n</body></html>\n")


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{html.escape(c)}</th>" for c in table.columns)
    rows = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in table.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _inlined(svg: str) -> str:
    """The element alone: a page has one XML head at most."""
    return svg[svg.index("<svg"):]
