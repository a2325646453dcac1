import { MAX_SAFE_INTEGER, MIN_SAFE_INTEGER, NAN } from "../../base/intrinsics";
import { type Code, Op } from "../compile/code";
import { callDirect } from "../direct/calls";
import { directFor } from "../direct/functions";
import { equalValues } from "../values/equality";
import { LispError } from "../values/errors";
import type { Value } from "../values/values";
import { Closure } from "../values/values";
import { checkArity, unbound } from "./checks";
import type { Fiber, Frame } from "./fiber";
import type { MachineParts } from "./parts";
import { runRareOp } from "./rare-ops";

/**
 * Runs instructions, starting with a frame, until the top frame is not compiled code or the fiber stops. Calls and
 * returns between functions of the program do not leave this loop.
 */
export function runCode(machine: MachineParts, fiber: Fiber, start: Frame): void {
  const { stack, frames } = fiber;
  const { fuel } = machine;
  let frame = start;
  let sp = fiber.sp;
  let left = 0;
  let granted = 0;
  try {
    nextFrame: for (;;) {
      const { ops, constants } = frame.code;
      const { base } = frame;
      let { pc } = frame;
      // From here on, what builtins have charged in the meantime counts.
      fuel.used(granted - left);
      granted = left = fuel.available();
      for (;;) {
        frame.at = pc;
        if (--left < 0) fuel.outOfFuel();
        switch (ops[pc++]) {
          case Op.CONST:
            stack[sp++] = constants[ops[pc++] as number] as Value;
            break;
          case Op.LOCAL:
            stack[sp++] = stack[base + (ops[pc++] as number)] as Value;
            break;
          case Op.SET_LOCAL:
            stack[base + (ops[pc++] as number)] = stack[--sp] as Value;
            break;
          case Op.CAPTURED:
            stack[sp++] = frame.captured[ops[pc++] as number] as Value;
            break;
          case Op.GLOBAL: {
            const name = constants[ops[pc++] as number] as string;
            const value = fiber.globals.get(name);
            if (value === undefined) throw unbound(name);
            stack[sp++] = value;
            break;
          }
          case Op.GLOBAL_OR_NIL:
            stack[sp++] = fiber.globals.get(constants[ops[pc++] as number] as string) ?? null;
            break;
          case Op.POP:
            sp -= 1;
            break;
          case Op.DUP:
            stack[sp] = stack[sp - 1] as Value;
            sp += 1;
            break;
          case Op.JUMP:
            pc = ops[pc] as number;
            break;
          case Op.JUMP_IF_FALSE: {
            const value = stack[--sp];
            pc = value === null || value === false ? (ops[pc] as number) : pc + 1;
            break;
          }
          case Op.JUMP_IF_TRUE: {
            const value = stack[--sp];
            pc = value === null || value === false ? pc + 1 : (ops[pc] as number);
            break;
          }
          case Op.JUMP_KEEP_FALSE: {
            const value = stack[sp - 1];
            if (value === null || value === false) pc = ops[pc] as number;
            else {
              sp -= 1;
              pc += 1;
            }
            break;
          }
          case Op.JUMP_KEEP_TRUE: {
            const value = stack[sp - 1];
            if (value !== null && value !== false) pc = ops[pc] as number;
            else {
              sp -= 1;
              pc += 1;
            }
            break;
          }
          case Op.ADD: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            const sum = typeof a === "number" && typeof b === "number" ? a + b : NAN;
            stack[sp - 1] = isSafe(sum) ? sum : machine.plain("+", [a as Value, b as Value]);
            break;
          }
          case Op.SUB: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            const difference = typeof a === "number" && typeof b === "number" ? a - b : NAN;
            stack[sp - 1] = isSafe(difference) ? difference : machine.plain("-", [a as Value, b as Value]);
            break;
          }
          case Op.MUL: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            const product = typeof a === "number" && typeof b === "number" ? a * b : NAN;
            stack[sp - 1] = isSafe(product) ? product + 0 : machine.plain("*", [a as Value, b as Value]);
            break;
          }
          case Op.LT: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            stack[sp - 1] =
              typeof a === "number" && typeof b === "number" ? a < b : machine.plain("<", [a as Value, b as Value]);
            break;
          }
          case Op.GT: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            stack[sp - 1] =
              typeof a === "number" && typeof b === "number" ? a > b : machine.plain(">", [a as Value, b as Value]);
            break;
          }
          case Op.LE: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            stack[sp - 1] =
              typeof a === "number" && typeof b === "number" ? a <= b : machine.plain("<=", [a as Value, b as Value]);
            break;
          }
          case Op.GE: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            stack[sp - 1] =
              typeof a === "number" && typeof b === "number" ? a >= b : machine.plain(">=", [a as Value, b as Value]);
            break;
          }
          case Op.EQ: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            stack[sp - 1] =
              typeof a === "number" && typeof b === "number"
                ? a === b
                : equalValues(a as Value, b as Value, machine.context.charge);
            break;
          }
          case Op.INC: {
            const a = stack[sp - 1];
            const sum = typeof a === "number" ? a + 1 : NAN;
            stack[sp - 1] = isSafe(sum) ? sum : machine.plain("inc", [a as Value]);
            break;
          }
          case Op.DEC: {
            const a = stack[sp - 1];
            const difference = typeof a === "number" ? a - 1 : NAN;
            stack[sp - 1] = isSafe(difference) ? difference : machine.plain("dec", [a as Value]);
            break;
          }
          case Op.NOT: {
            const a = stack[sp - 1];
            stack[sp - 1] = a === null || a === false;
            break;
          }
          case Op.LOOP_START:
            stack[base + (ops[pc++] as number)] = 0;
            break;
          case Op.RECUR: {
            const first = base + (ops[pc] as number);
            const expected = ops[pc + 1] as number;
            const counter = base + (ops[pc + 2] as number);
            const given = ops[pc + 4] as number;
            if (given !== expected)
              throw new LispError("eval_error", "arity_mismatch", `recur expects ${expected} value(s), got ${given}`);
            const rounds = (stack[counter] as number) + 1;
            if (rounds > machine.limits.max_iterations)
              throw new LispError(
                "loop_limit_exceeded",
                "loop_limit_exceeded",
                `the loop ran more than ${machine.limits.max_iterations} times`,
              );
            stack[counter] = rounds;
            for (let i = given - 1; i >= 0; i--) stack[first + i] = stack[--sp] as Value;
            pc = ops[pc + 3] as number;
            break;
          }
          case Op.RETURN: {
            const value = stack[sp - 1] as Value;
            frames.pop();
            stack[base] = value;
            sp = base + 1;
            const caller = frames[frames.length - 1];
            if (caller === undefined || caller.kind !== "code") {
              fiber.sp = sp;
              return;
            }
            frame = caller;
            continue nextFrame;
          }
          case Op.CALL: {
            const count = ops[pc++] as number;
            const callee = stack[sp - count - 1] as Value;
            if (callee instanceof Closure && machine.calling.isSimple(fiber, callee.code as Code, count)) {
              const code = callee.code as Code;
              const { captured } = callee;
              frame.pc = pc;
              const direct = directFor(code, 1);
              if (direct !== null && direct.run !== null) {
                fuel.used(granted - left);
                const args = stack.slice(sp - count, sp) as Value[];
                const answer = callDirect(machine, fiber, direct, captured, sp - count - 1, args);
                granted = left = fuel.available();
                if (answer !== undefined) {
                  sp -= count;
                  stack[sp - 1] = answer;
                  break;
                }
              }
              // The arguments move down to where the function stood: they are the first slots of its frame.
              const first = sp - count - 1;
              for (let i = 0; i < count; i++) stack[first + i] = stack[first + i + 1];
              for (let i = count; i < code.slots; i++) stack[first + i] = null;
              sp = first + code.slots;
              frame = { kind: "code", code, captured, base: first, pc: 0, at: 0 };
              frames.push(frame);
              if (sp > fiber.highest || frames.length > fiber.deepest) fuel.allocate(fiber.grown(sp));
              continue nextFrame;
            }
            const args = stack.slice(sp - count, sp) as Value[];
            sp -= count + 1;
            if (callee !== null && typeof callee === "object" && callee.tag === "builtin" && callee.kind === "plain") {
              checkArity(callee, count);
              stack[sp++] = callee.call(args, machine.context);
              break;
            }
            fiber.sp = sp;
            frame.pc = pc;
            machine.calling.call(fiber, callee, args);
            return;
          }
          default: {
            fiber.sp = sp;
            frame.pc = pc;
            runRareOp(machine, fiber, frame, ops[pc - 1] as number);
            if (fiber.state !== "ready" || frames[frames.length - 1] !== frame) return;
            sp = fiber.sp;
            pc = frame.pc;
          }
        }
      }
    }
  } finally {
    if (left < 0) left = 0;
    fuel.used(granted - left);
  }
}

const isSafe = (n: number): boolean => n >= MIN_SAFE_INTEGER && n <= MAX_SAFE_INTEGER;
