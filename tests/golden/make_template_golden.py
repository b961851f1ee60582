#!/usr/bin/env python3
"""Writes templates/jinja2.jsonl: templates and variables, and what jinja2 makes of them in the environment that transformers
sets up for chat templates: the text, or the error's kind, words and (of syntax) line."""

import json
import pathlib
from datetime import datetime, timezone

import jinja2
import jinja2.ext
import jinja2.sandbox

from template_cases import CHATS, FEATURES, VARIABLES

FOLDER = pathlib.Path(__file__).parent / "templates"
NOW = datetime.fromtimestamp(1_234_567_890, timezone.utc)  # the test renders at this time, in UTC
TAG = "CONTINUE_FINAL_MESSAGE_TAG "


class Generation(jinja2.ext.Extension):
    """transformers' {% generation %}, without its tracking."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_render"), [], [], body).set_lineno(line)

    def _render(self, caller):
        return caller()


class Namespace(jinja2.utils.Namespace):
    """transformers' namespace: no attribute begins with an underscore."""

    __module__ = "jinja2.utils"  # as messages name it

    def __init__(*args, **kwargs):
        self, args = args[0], args[1:]
        attributes = dict(*args, **kwargs)
        for name in attributes:
            Namespace.check(name)
        jinja2.utils.Namespace.__init__(self, attributes)

    def __setitem__(self, name, value):
        Namespace.check(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)

    @staticmethod
    def check(name):
        if isinstance(name, str) and name.startswith("_"):
            raise jinja2.exceptions.SecurityError(
                f"Chat templates cannot store underscore-prefixed attributes on a namespace, but got {name!r}. "
                "Please rename the attribute."
            )


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda format: NOW.strftime(format)
    env.globals["dict"] = lambda *args, **kwargs: dict(*args, **kwargs)
    env.globals["namespace"] = Namespace
    return env


def tagged(messages):
    """transformers' way to find the end of the final message: a tag behind its text, and the output is cut there."""
    last = dict(messages[-1])
    if isinstance(last["content"], list):
        parts = [dict(part) for part in last["content"]]
        next(part for part in reversed(parts) if "text" in part)["text"] += TAG
        last["content"] = parts
    else:
        last["content"] += TAG
    return [*messages[:-1], last]


def cut(text):
    if TAG.strip() not in text:
        raise ValueError(
            "continue_final_message is set but the final message does not appear in the chat after applying the chat template"
        )
    at = text.rindex(TAG.strip())
    return text[:at] if text[at : at + len(TAG)] == TAG else text[:at].rstrip()


def render(case):
    messages = tagged(case["messages"]) if case.get("continue") else case["messages"]
    template = environment().from_string(case["template"])
    text = template.render(
        messages=messages,
        tools=None,
        documents=None,
        bos_token="<s>",
        eos_token="</s>",
        add_generation_prompt=case.get("prompt", False),
        **case["kwargs"],
    )
    text.encode()  # lone surrogates are no text
    return cut(text) if case.get("continue") else text


def outcome(case):
    try:
        return {"output": render(case)}
    except jinja2.TemplateSyntaxError as error:
        return {"error": "syntax", "line": error.lineno}
    except SyntaxError:
        return {"error": "syntax"}
    except Exception as error:
        return {"error": "render", "words": str(error)}


def features():
    for i, template in enumerate(FEATURES):
        yield {"name": f"feature {i}", "template": template, "messages": [], "kwargs": VARIABLES}


def chats():
    for path in sorted((FOLDER / "chat").glob("*.jinja")):
        for name, chat in CHATS.items():
            yield {"name": f"{path.stem}/{name}", "template": path.read_text(), "kwargs": {}, **chat}


def main():
    with (FOLDER / "jinja2.jsonl").open("w", encoding="utf-8") as file:
        for case in (*features(), *chats()):
            file.write(json.dumps({**case, **outcome(case)}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
