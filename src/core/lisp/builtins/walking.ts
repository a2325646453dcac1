import { type Entry, PMap, PSet, Vec } from "../values/collections";
import type { BuiltinContext } from "../values/context";
import { inCard } from "../values/doc";
import { LispError } from "../values/errors";
import { MAX_NESTING } from "../values/traversal-limit";
import type { Value } from "../values/values";
import { invalidArgument } from "./builtin-errors";
import { callee, type Direct } from "./callable";
import { type Calls, family } from "./define";
import { isMap, isSet, isVector, spend } from "./sequence";

const { higher } = family("transforming");

/** The parts of a collection that a walk visits: elements, or map entries as pairs. undefined for scalars. */
function partsOf(form: Value): Value[] | undefined {
  if (isVector(form)) return form.toArray();
  if (isMap(form)) return form.entries().map(([key, value]) => Vec.of(key, value));
  return isSet(form) ? form.values() : undefined;
}

/** A collection of the same kind from changed parts. */
function rebuilt(name: string, form: Value, parts: Value[], ctx: BuiltinContext): Value {
  spend(ctx, parts.length * 2);
  if (isVector(form)) return Vec.from(parts);
  return isMap(form) ? PMap.from(parts.map((part) => entryOf(name, part))) : PSet.from(parts);
}

function entryOf(name: string, part: Value): Entry<Value> {
  if (!isVector(part) || part.length !== 2)
    throw invalidArgument(name, "the function must give a [key value] pair for each map entry");
  return [part.at(0), part.at(1)];
}

function* step(fn: Value, direct: Direct | null, form: Value): Calls {
  return direct ? direct([form]) : yield { fn, args: [form] };
}

interface Frame {
  form: Value;
  parts: Value[];
  next: number;
}

/**
 * Visits a form and all its parts with an explicit stack: `before` on the way down, `after` on the way up.
 * A function that keeps adding levels ends at the nesting limit.
 */
function* visit(name: string, fn: Value, form: Value, down: boolean, ctx: BuiltinContext): Calls {
  const direct = callee(name, fn, ctx);
  const frames: Frame[] = [];
  let current: Value = form;
  for (;;) {
    // Down: `current` is a form not yet visited.
    ctx.charge(1);
    if (down) current = yield* step(fn, direct, current);
    const parts = partsOf(current);
    if (parts !== undefined && parts.length > 0) {
      if (frames.length >= MAX_NESTING)
        throw new LispError("eval_error", "type_error", `${name}: nested more than ${MAX_NESTING} levels deep`);
      spend(ctx, parts.length);
      frames.push({ form: current, parts, next: 0 });
      current = parts[0]!;
      continue;
    }
    // Up: `current` is a finished part of the innermost frame.
    let done: Value = down ? current : yield* step(fn, direct, current);
    for (;;) {
      const frame = frames[frames.length - 1];
      if (frame === undefined) return done;
      frame.parts[frame.next] = done;
      frame.next += 1;
      if (frame.next < frame.parts.length) {
        current = frame.parts[frame.next]!;
        break;
      }
      frames.pop();
      const whole = rebuilt(name, frame.form, frame.parts, ctx);
      done = down ? whole : yield* step(fn, direct, whole);
    }
  }
}

/** The tree walks (lisp reference, section 11.2). */
export const WALKING = [
  higher(
    "walk",
    3,
    "(walk inner outer form)",
    inCard("sequences", 45, "Applies inner to each part of the form, and outer to the rebuilt form."),
    function* (args, ctx) {
      const [inner, outer, form] = args;
      const outerDirect = callee("walk", outer, ctx);
      const parts = partsOf(form);
      if (parts === undefined) return yield* step(outer, outerDirect, form);
      const direct = callee("walk", inner, ctx);
      for (let i = 0; i < parts.length; i++) parts[i] = yield* step(inner, direct, parts[i]!);
      return yield* step(outer, outerDirect, rebuilt("walk", form, parts, ctx));
    },
  ),
  higher(
    "prewalk",
    2,
    "(prewalk f form)",
    inCard("sequences", 46, "Applies f to the form, then to its parts, down to the leaves."),
    ([fn, form], ctx) => visit("prewalk", fn, form, true, ctx),
  ),
  higher(
    "postwalk",
    2,
    "(postwalk f form)",
    inCard("sequences", 47, "Applies f to the leaves, then to the rebuilt forms, up to the whole."),
    ([fn, form], ctx) => visit("postwalk", fn, form, false, ctx),
  ),
];
