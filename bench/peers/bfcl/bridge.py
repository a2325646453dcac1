"""The multi-turn part of BFCL v4 as a process: one JSON object a line on stdin, one answer a line on stdout.

The data, the simulators and the checkers are those of the package bfcl-eval, used as they are. What is done here is to name
arguments that a gold call gives by position, and to send whole numbers for a parameter of type float as floats: JSON has one
kind of number, so a client of the simulators could not say which of the two it means.
"""

import ast
import inspect
import json
import pickle
import sys
import traceback

from bfcl_eval.constants.default_prompts import DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC as MORE_FUNCTIONS
from bfcl_eval.constants.executable_backend_config import STATELESS_CLASSES
from bfcl_eval.eval_checker.multi_turn_eval import multi_turn_utils
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import (
    multi_turn_checker,
    multi_turn_irrelevance_checker,
    response_checker,
    state_checker,
)
from bfcl_eval.utils import load_dataset_entry, load_ground_truth_entry

KINDS = ["base", "miss_func", "miss_param", "long_context"]
TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}
PYTHON_TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}

entries = {}
tools = {}
sessions = {}


def json_schema(schema):
    """A schema of the suite as JSON Schema."""
    out = {key: value for key, value in schema.items() if key in ("description", "enum", "default", "required")}
    kind = TYPES.get(schema.get("type"), schema.get("type"))
    if kind is not None:
        out["type"] = kind
    if "properties" in schema:
        out["properties"] = {name: json_schema(one) for name, one in schema["properties"].items()}
    if "items" in schema:
        out["items"] = json_schema(schema["items"])
    return out


def instances_of(entry, model, calls=()):
    """Runs calls in the simulators that belong to a name; they are made on the first call."""
    long_context = entry["kind"] == "long_context"
    return multi_turn_utils.execute_multi_turn_func_call(
        list(calls), entry["initial_config"], entry["involved_classes"], model, entry["id"], long_context
    )


def forget(model):
    """The suite keeps its simulators as globals of a module, for ever."""
    kept = vars(multi_turn_utils)
    for name in [name for name in kept if name.startswith(model + "_")]:
        del kept[name]


def parsed(call, methods):
    """A gold call, with names for all its arguments."""
    node = ast.parse(call, mode="eval").body
    name = node.func.id
    given = [ast.literal_eval(one) for one in node.args]
    named = {one.arg: ast.literal_eval(one.value) for one in node.keywords}
    bound = inspect.signature(methods[name]).bind(*given, **named)
    return {"tool": name, "args": as_sent(name, bound.arguments)}


def as_sent(name, args):
    """Arguments with the numbers that the suite's own schema asks for."""
    properties = tools[name]["input"].get("properties", {})
    return {key: with_floats(value, properties.get(key, {})) for key, value in args.items()}


def with_floats(value, schema):
    if schema.get("type") == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, (list, tuple)):
        return [with_floats(one, schema.get("items", {})) for one in value]
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return {key: with_floats(one, properties.get(key, {})) for key, one in value.items()}
    return value


def text_of(call):
    args = ", ".join(f"{name}={value!r}" for name, value in call["args"].items())
    return f"{call['tool']}({args})"


def answer_of(text):
    """The suite's simulators answer with texts; most are JSON."""
    try:
        read = json.loads(text)
    except json.JSONDecodeError:
        return text
    return read if isinstance(read, (dict, list)) else text


def load_tool(doc):
    """The first description of a tool counts: where it was held back the suite leaves a remark about Python out."""
    tool = {"name": doc["name"], "description": doc["description"], "input": json_schema(doc["parameters"])}
    if "response" in doc:
        tool["output"] = json_schema(doc["response"])
    first = tools.setdefault(doc["name"], tool)
    if (first["input"], first.get("output")) != (tool["input"], tool.get("output")):
        raise ValueError(f"two tools are called {doc['name']}")


def loosen(call):
    """The suite's gold sometimes gives what its own schema does not allow: then the parameter may be anything."""
    loosened = 0
    for name, value in call["args"].items():
        schema = tools[call["tool"]]["input"].get("properties", {}).get(name)
        kind = schema and schema.get("type")
        if kind is None:
            continue
        is_right = isinstance(value, PYTHON_TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
        if not is_right or value not in schema.get("enum", [value]):
            del schema["type"]
            schema.pop("enum", None)
            loosened += 1
    return loosened


def load(_):
    loosened = 0
    for kind in KINDS:
        gold = {one["id"]: one["ground_truth"] for one in load_ground_truth_entry(f"multi_turn_{kind}")}
        for entry in load_dataset_entry(f"multi_turn_{kind}"):
            entry["kind"] = kind
            entry["gold"] = gold[entry["id"]]
            held_back = {int(turn): docs for turn, docs in entry.get("missed_function", {}).items()}
            for doc in [*entry["function"], *(doc for docs in held_back.values() for doc in docs)]:
                load_tool(doc)
            entry["held_back"] = {turn: [doc["name"] for doc in docs] for turn, docs in held_back.items()}
            entry["names"] = [doc["name"] for doc in entry["function"]]
            entries[entry["id"]] = entry
    for entry in entries.values():
        _, instances = instances_of(entry, "load")
        methods = {}
        for instance in instances.values():
            methods.update(inspect.getmembers(instance, predicate=inspect.ismethod))
        entry["calls"] = [[parsed(call, methods) for call in turn] for turn in entry["gold"]]
        loosened += sum(loosen(call) for turn in entry["calls"] for call in turn)
        give_early(entry)
        forget("load")
    return {"tools": list(tools.values()), "conversations": [known(one) for one in entries.values()], "loosened": loosened}


def give_early(entry):
    """One gold solution calls a function that the suite holds back until a later turn: there it is given from the beginning."""
    for turn, calls in enumerate(entry["calls"]):
        later = {name for at, names in entry["held_back"].items() if at > turn for name in names}
        early = {call["tool"] for call in calls} & later
        entry["names"] += sorted(early)
        entry["held_back"] = {at: [one for one in names if one not in early] for at, names in entry["held_back"].items()}


def known(entry):
    turns = []
    for index, calls in enumerate(entry["calls"]):
        said = entry["question"][index]
        adds = entry["held_back"].get(index, [])
        says = "\n".join(message["content"] for message in said) if said else MORE_FUNCTIONS
        texts, _ = instances_of(entry, "known", [text_of(call) for call in calls])
        answered = [{**call, "answer": answer_of(text)} for call, text in zip(calls, texts)]
        turns.append({"says": says, "calls": answered, "adds": adds})
    forget("known")
    return {"id": entry["id"], "kind": entry["kind"], "tools": entry["names"], "turns": turns}


def open_session(asked):
    entry = entries[asked["conversation"]]
    model = asked["session"]
    instances_of(entry, model)
    sessions[model] = {"entry": entry, "made": [[] for _ in entry["calls"]], "answers": []}
    return {}


def state_of(session, model):
    _, instances = instances_of(session["entry"], model)
    return {name: pickle.dumps(one) for name, one in instances.items() if name not in STATELESS_CLASSES}


def call_tool(asked):
    model = asked["session"]
    session = sessions[model]
    call = text_of({"tool": asked["tool"], "args": as_sent(asked["tool"], asked["args"])})
    before = state_of(session, model) if asked["watch"] else None
    (text,), _ = instances_of(session["entry"], model, [call])
    session["made"][asked["turn"]].append(call)
    session["answers"].append(text)
    return {"answer": answer_of(text), "changed": before is not None and before != state_of(session, model)}


def judge_turn(asked):
    """What the suite's checker does after each turn, on the simulators that have served it."""
    model, turn = asked["session"], asked["turn"]
    session = sessions[model]
    entry = session["entry"]
    problems = []
    gold = [text_of(call) for call in entry["calls"][turn]]
    expected, right = instances_of(entry, f"{model}_right", gold)
    # Beside it the gold as it is written, without any change of numbers.
    _, written = instances_of(entry, f"{model}_written", entry["gold"][turn])
    _, present = instances_of(entry, model)
    for name, wanted in (("gold", right), ("gold as written", written)):
        verdict = state_checker(present, wanted)
        if not verdict["valid"]:
            problems.append(f"{name}: {verdict['error_message']} {verdict['details']['differences']}"[:500])
    if gold:
        verdict = response_checker(session["answers"], expected, turn)
        if not verdict["valid"]:
            problems.append(f"{verdict['error_message']} {verdict['details']['missing_items']}"[:500])
    elif session["made"][turn]:
        problems.append(f"turn {turn} has calls, and should have none: {session['made'][turn]}")
    return {"problems": problems}


def end_session(asked):
    """The suite's whole checker, as it judges a model: all calls again, in simulators of its own."""
    model = asked["session"]
    session = sessions.pop(model)
    entry = session["entry"]
    made = [[[call] for call in turn] for turn in session["made"]]
    gold = [[text_of(call) for call in turn] for turn in entry["calls"]]
    problems = []
    verdict = multi_turn_checker(made, gold, entry, f"multi_turn_{entry['kind']}", f"{model}_whole")
    if not verdict["valid"]:
        problems.append(f"whole checker: {verdict['error_message']}"[:500])
    verdict = multi_turn_irrelevance_checker(made, gold)
    if not verdict["valid"]:
        problems.append(f"whole checker: {verdict['error_message']}"[:500])
    forget(model)
    return {"problems": problems}


OPERATIONS = {
    "load": load,
    "open": open_session,
    "call": call_tool,
    "judge": judge_turn,
    "end": end_session,
}


def main():
    answers = sys.stdout
    # What a simulator prints must not stand between answers.
    sys.stdout = sys.stderr
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            said = {"id": asked["id"], "answer": OPERATIONS[asked["op"]](asked)}
        except Exception:
            said = {"id": asked["id"], "error": traceback.format_exc(limit=4)}
        answers.write(json.dumps(said) + "\n")
        answers.flush()


main()
