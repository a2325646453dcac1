import { min } from "../../base/intrinsics";
import { type Code, Op } from "../compile/code";
import { PMap, PSet, Vec } from "../values/collections";
import { lookup } from "../values/lookup";
import { makeNative } from "../values/natives";
import { seqOf } from "../values/seq";
import { ENTRY, GROWTH, MAP, NATIVE, SLOT, VECTOR } from "../values/sizes";
import { Closure, type Value, VarRef } from "../values/values";
import { checkPattern, makeClosure } from "./checks";
import { runEffect } from "./effects";
import type { Fiber, Frame } from "./fiber";
import type { MachineParts } from "./parts";

/** Instructions that are too rare, or too long, for the hot loop. Each leaves `frame.pc` after its operands. */
export function runRareOp(machine: MachineParts, fiber: Fiber, frame: Frame, op: number): void {
  const { fuel } = machine;
  const { constants, ops } = frame.code;
  const operand = () => ops[frame.pc++] as number;
  switch (op) {
    case Op.CLOSURE:
      return closure(machine, fiber, frame, constants[operand()] as Code);
    case Op.VECTOR: {
      const items = fiber.popMany(operand());
      fuel.allocate(VECTOR + SLOT * items.length);
      return fiber.push(Vec.from(items));
    }
    case Op.SET:
      return set(machine, fiber, operand());
    case Op.MAP: {
      const flat = fiber.popMany(2 * operand());
      fuel.allocate(MAP + (ENTRY / 2) * flat.length);
      let map: PMap<Value> = PMap.empty;
      for (let i = 0; i < flat.length; i += 2) map = map.assoc(flat[i] as Value, flat[i + 1] as Value);
      return fiber.push(map);
    }
    case Op.DEF: {
      const name = constants[operand()] as string;
      const doc = constants[operand()] as string | null;
      const value = fiber.pop();
      // A branch, or a function that a builtin calls, works on its own copy of all definitions.
      fuel.charge(fiber.sharedGlobals);
      fuel.allocate(ENTRY * fiber.sharedGlobals);
      fiber.define(name, doc !== null && value instanceof Closure ? value.withDoc(doc) : value);
      if (fiber.keepsDefinitions()) machine.outputs.defined.add(name);
      return;
    }
    case Op.IS_DEFINED:
      return fiber.push(fiber.globals.has(constants[operand()] as string));
    case Op.VAR:
      return fiber.push(new VarRef(constants[operand()] as string));
    case Op.NTH: {
      // The operand is read first, because pc has to move past it for nil too.
      const index = operand();
      const vector = fiber.pop() as Vec<Value> | null;
      return fiber.push(vector?.get(index) ?? null);
    }
    case Op.REST: {
      const vector = fiber.pop() as Vec<Value> | null;
      const from = operand();
      fuel.allocate(VECTOR);
      return fiber.push(vector === null ? Vec.from([]) : vector.slice(min(from, vector.length)));
    }
    case Op.CHECK_VECTOR:
      return checkPattern(fiber.top(), (value) => value instanceof Vec, "list");
    case Op.CHECK_MAP:
      return checkPattern(fiber.top(), (value) => value instanceof PMap, "map");
    case Op.LOOKUP: {
      const key = constants[operand()] as Value;
      return fiber.push(lookup(fiber.pop(), key) ?? null);
    }
    case Op.LOOKUP_OR: {
      const key = constants[operand()] as Value;
      const fallback = constants[operand()] as Value;
      const found = lookup(fiber.pop(), key);
      return fiber.push(found === undefined ? fallback : found);
    }
    case Op.LOOKUP_OR_ELSE: {
      const key = constants[operand()] as Value;
      const target = operand();
      const found = lookup(fiber.pop(), key);
      if (found === undefined) return;
      frame.pc = target;
      return fiber.push(found);
    }
    case Op.SEQ: {
      const items = seqOf(fiber.pop(), "for, doseq", machine.context);
      fuel.charge(items.length);
      return fiber.push(items);
    }
    case Op.ITERATE: {
      const items = fiber.stack[frame.base + operand()] as Vec<Value>;
      const at = frame.base + operand();
      const index = fiber.stack[at] as number;
      if (index >= items.length) {
        frame.pc = ops[frame.pc] as number;
        return;
      }
      fiber.stack[at] = index + 1;
      frame.pc += 1;
      return fiber.push(items.at(index) as Value);
    }
    case Op.APPEND: {
      const at = frame.base + operand();
      fuel.allocate(GROWTH);
      fiber.stack[at] = (fiber.stack[at] as Vec<Value>).conj(fiber.pop());
      return;
    }
    case Op.DATA:
      return fiber.push(machine.data.get(constants[operand()] as string) ?? null);
    case Op.BUDGET:
      return fiber.push(machine.remaining);
    case Op.HISTORY:
      return fiber.push(machine.options.history[operand()] ?? null);
    case Op.NATIVE: {
      const name = constants[operand()] as string;
      const literals = constants[operand()] as Vec<Value>;
      const values = fiber.popMany(operand());
      fuel.allocate(NATIVE + SLOT * (literals.length + values.length));
      return fiber.push(makeNative(name, literals.toArray(), values));
    }
    default:
      runEffect(machine, fiber, frame, op);
  }
}

function closure({ fuel }: MachineParts, fiber: Fiber, frame: Frame, code: Code): void {
  fuel.allocate(64 + 8 * code.captures.length);
  fiber.push(makeClosure(code, frame, fiber));
}

function set({ fuel }: MachineParts, fiber: Fiber, count: number): void {
  fuel.allocate(MAP + ENTRY * count);
  fiber.push(PSet.from(fiber.popMany(count)));
}
