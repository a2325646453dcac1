import { HostFunction, HostSet } from "../../base/intrinsics";
import { type Code, Op } from "../compile/code";
import { Keyword, type Value } from "../values/values";
import { Flow } from "./flow";
import { type LinkName, Operands } from "./operands";
import { isPure } from "./pure";

/**
 * Translates a function's instructions to a function of the host. The text is made of fixed words, of numbers and of
 * names that are made here: nothing of the program's text is in it, its values are reached by their numbers. What the
 * text cannot do (tools, tasks, definitions, parallel sections) is `leave()`: the evaluator takes over.
 *
 * Two numbers come along with the arguments: where the function's frame would begin on the evaluator's stack, and how
 * many frames there would be. So a call is refused at the same depth, and pays for the same stack.
 */
export type DirectFunction = (captured: readonly Value[], base: number, depth: number, ...args: Value[]) => Value;

/** Makes the function from the constants of its code and from what it calls. */
export type DirectFactory = (
  constants: Code["constants"],
  help: unknown,
  state: unknown,
  links: unknown[],
) => DirectFunction;

export interface Translation {
  factory: DirectFactory;
  /** The definitions that it uses. */
  links: readonly LinkName[];
}

/** Larger frames are left to the evaluator, because they would take too much of the host's stack. */
const MAX_SLOTS = 24;
const MAX_TEMPORARIES = 40;
const MAX_OPS = 600;

/** @returns null when there is nothing to win: the function is too large, or always needs the evaluator */
export function translate(code: Code): Translation | null {
  const text = hostText(code);
  if (text === null) return null;
  try {
    return { factory: new HostFunction("K", "H", "S", "L", text.body) as DirectFactory, links: text.links };
  } catch {
    // The process was started without the right to make code from text.
    return null;
  }
}

/** The text of the function that makes the translation of a code, and the definitions that it uses. */
export function hostText(code: Code): { body: string; links: readonly LinkName[] } | null {
  if (code.variadic || code.slots > MAX_SLOTS || code.ops.length > MAX_OPS) return null;
  return new Text(code).whole();
}

/** Instructions after which the next one is reached by a jump only. */
const ENDS = new HostSet<number>([Op.JUMP, Op.RECUR, Op.RETURN, Op.SIGNAL_RETURN, Op.SIGNAL_FAIL]);

/** Operator, and the helper for what is no small integer. */
const ARITHMETIC: Record<number, [operator: string, helper: string] | undefined> = {
  [Op.ADD]: ["+", "add"],
  [Op.SUB]: ["-", "subtract"],
  [Op.MUL]: ["*", "multiply"],
  [Op.INC]: ["+", "inc"],
  [Op.DEC]: ["-", "dec"],
};

const byBuiltin = (name: string) => (x: string, y: string) => `H.plain("${name}",[${x},${y}])`;

const COMPARISONS: Record<number, [operator: string, otherwise: (x: string, y: string) => string] | undefined> = {
  [Op.LT]: ["<", byBuiltin("<")],
  [Op.GT]: [">", byBuiltin(">")],
  [Op.LE]: ["<=", byBuiltin("<=")],
  [Op.GE]: [">=", byBuiltin(">=")],
  [Op.EQ]: ["===", (x, y) => `H.equal(${x},${y})`],
};

/** Whether a sum is still a small integer. */
const SAFE = ">=-9007199254740991&&r<=9007199254740991";

class Text {
  private readonly out: string[] = [];
  private readonly flow: Flow;
  private readonly stack: Operands;
  /** The first instruction that needs the evaluator. */
  private left: number | null = null;

  constructor(private readonly code: Code) {
    this.flow = new Flow(code.ops);
    this.stack = new Operands(code.constants, this.out);
  }

  whole(): { body: string; links: readonly LinkName[] } | null {
    const { code, out, stack } = this;
    this.region(0, code.ops.length);
    const { torn, highest, links, head } = stack;
    // What every call does needs the evaluator.
    const always = this.left !== null && this.left < this.flow.end(0);
    if (torn || always || highest > MAX_TEMPORARIES) return null;
    const slots = Array.from({ length: code.slots }, (_, i) => `s${i}`);
    const args = slots.slice(0, code.arity).map((name) => `,${name}`);
    const locals = slots.slice(code.arity).map((name) => `${name}=null`);
    const temporaries = Array.from({ length: highest }, (_, i) => `t${i}`);
    const body = [
      ...head,
      ...links.map((_, i) => `const l${i}=L[${i}];`),
      `return function(c,base,depth${args.join("")}){`,
      `let ${[...locals, ...temporaries, "r"].join(",")};`,
      `if(base+${code.slots}>S.high)S.high=base+${code.slots};`,
      "if(depth>S.deep)S.deep=depth;if(depth>S.deepest)H.leave();",
      ...out,
      "}",
    ].join("\n");
    return { body, links };
  }

  /**
   * The instructions from `start` to `end`: the whole function, or a loop. A jump forwards leaves a block of the text that
   * ends at its target, a jump back continues the loop.
   *
   * @returns whether the end is reached
   */
  private region(start: number, end: number): boolean {
    const { flow, stack, out } = this;
    const { ops } = this.code;
    const targets = flow.targetsBetween(start, end);
    for (const target of targets) out.push(`b${target}:{`);
    let reachable = true;
    let pc = start;
    while (pc < end) {
      if (targets.includes(pc)) {
        if (reachable) stack.meet(pc, true);
        out.push("}");
        reachable = stack.goOn(pc);
      }
      const loopEnd = pc === start ? undefined : flow.loops.get(pc);
      if (!reachable) pc = flow.next(pc);
      else if (loopEnd !== undefined) {
        stack.settle(false);
        out.push(`c${pc}:for(;;){`);
        reachable = this.region(pc, loopEnd);
        out.push(reachable ? `break c${pc};}` : "}");
        pc = loopEnd;
      } else {
        if (flow.blocks.has(pc)) this.charge(pc);
        reachable = this.instruction(pc) && !ENDS.has(ops[pc] as number);
        pc = flow.next(pc);
      }
    }
    return reachable;
  }

  /** The steps of a whole block. Whether there are so many is asked where the text can come again and again. */
  private charge(pc: number): void {
    const steps = this.flow.steps(pc);
    const again = pc === 0 || this.flow.loops.has(pc);
    this.out.push(again ? `if((S.left-=${steps})<0)H.leave();` : `S.left-=${steps};`);
  }

  private leave(pc: number): false {
    this.left ??= pc;
    this.out.push("H.leave();");
    return false;
  }

  /** @returns whether it could be translated */
  private instruction(pc: number): boolean {
    const { out, stack } = this;
    const { ops, constants } = this.code;
    const op = ops[pc] as number;
    const a = ops[pc + 1] as number;
    switch (op) {
      case Op.CONST:
        stack.push(stack.constant(a));
        return true;
      case Op.LOCAL:
        stack.push({ text: `s${a}` });
        return true;
      case Op.CAPTURED:
        stack.push({ text: `c[${a}]` });
        return true;
      case Op.GLOBAL:
        stack.push({ text: "", global: constants[a] as string });
        return true;
      case Op.SET_LOCAL: {
        const value = stack.pop();
        stack.change(a);
        out.push(`s${a}=${value};`);
        return true;
      }
      case Op.POP:
        stack.drop();
        return true;
      case Op.DUP:
        stack.push(stack.top);
        return true;
      case Op.LOOP_START:
        out.push(`s${a}=0;`);
        return true;
      case Op.RETURN:
        out.push(`return ${stack.pop()};`);
        return true;
      case Op.JUMP:
      case Op.JUMP_IF_FALSE:
      case Op.JUMP_IF_TRUE:
      case Op.JUMP_KEEP_FALSE:
      case Op.JUMP_KEEP_TRUE:
        return a > pc ? this.jump(op, a) : this.leave(pc);
      case Op.RECUR:
        return this.recur(pc, ops.slice(pc + 1, pc + 6) as [number, number, number, number, number]);
      case Op.CALL:
        return this.call(pc, a);
      case Op.NOT: {
        const x = stack.pop();
        return this.test(pc, `${x}===null||${x}===false`);
      }
      default:
        return this.numbers(pc, op) || this.collections(pc, op, a) || this.leave(pc);
    }
  }

  private jump(op: number, target: number): true {
    const { out, stack } = this;
    if (op === Op.JUMP) {
      stack.meet(target, true);
      out.push(`break b${target};`);
      return true;
    }
    const keeps = op === Op.JUMP_KEEP_FALSE || op === Op.JUMP_KEEP_TRUE;
    const { truth } = stack.top;
    const value = keeps ? stack.name(stack.height - 1) : stack.pop();
    stack.meet(target, keeps);
    if (keeps) stack.drop();
    const isTrue = truth === true ? value : `${value}!==null&&${value}!==false`;
    const jumps = op === Op.JUMP_IF_TRUE || op === Op.JUMP_KEEP_TRUE ? isTrue : `!(${isTrue})`;
    out.push(`if(${jumps})break b${target};`);
    return true;
  }

  private recur(pc: number, [first, count, counter, target, given]: [number, number, number, number, number]): boolean {
    const { out, stack } = this;
    if (given !== count || target >= pc) return this.leave(pc);
    out.push(`if(++s${counter}>S.rounds)H.leave();`);
    const values = stack.popMany(count);
    // All values are known before the first slot changes.
    const known = values.map((value, i) => {
      if (count === 1) return value;
      stack.assign(stack.height + i, value);
      return stack.name(stack.height + i);
    });
    known.forEach((value, i) => void out.push(`s${first + i}=${value};`));
    out.push(`continue c${target};`);
    return true;
  }

  private numbers(pc: number, op: number): boolean {
    const { stack } = this;
    if (op === Op.INC || op === Op.DEC) stack.push({ text: "1" });
    const arithmetic = ARITHMETIC[op];
    const comparison = COMPARISONS[op];
    if (arithmetic !== undefined) {
      const [x, y] = stack.popMany(2) as [string, string];
      const [operator, builtin] = arithmetic;
      const place = stack.name(stack.height);
      // Integers have no minus zero.
      const positive = operator === "*" ? "+0" : "";
      const small = `${bothNumbers(x, y)}&&(r=${x}${operator}${y})${SAFE}`;
      this.out.push(`if(${small})${place}=r${positive};else ${place}=H.${builtin}(${x},${y});`);
      stack.push({ text: place });
      return true;
    }
    if (comparison === undefined) return false;
    const [x, y] = stack.popMany(2) as [string, string];
    const [operator, otherwise] = comparison;
    return this.test(pc, `${bothNumbers(x, y)}?${x}${operator}${y}:${otherwise(x, y)}`);
  }

  /** A value that is true or false. A jump after it takes it as it is. */
  private test(pc: number, expression: string): true {
    const next = this.flow.next(pc);
    const op = this.code.ops[next];
    const jumps = (op === Op.JUMP_IF_FALSE || op === Op.JUMP_IF_TRUE) && !this.flow.blocks.has(next);
    if (jumps) this.stack.push({ text: `(${expression})`, truth: true });
    else this.stack.compute(expression);
    return true;
  }

  private collections(pc: number, op: number, a: number): boolean {
    const { out, stack } = this;
    const { ops, constants } = this.code;
    switch (op) {
      case Op.VECTOR:
        stack.compute(`H.vector([${stack.popMany(a).join(",")}])`);
        return true;
      case Op.MAP:
        stack.compute(`H.map([${stack.popMany(2 * a).join(",")}])`);
        return true;
      case Op.CLOSURE: {
        const { captures } = constants[a] as Code;
        const values = captures.map(({ from, index }) => (from === "local" ? `s${index}` : `c[${index}]`));
        stack.compute(`H.closure(K[${a}],[${values.join(",")}])`);
        return true;
      }
      case Op.NTH: {
        const x = stack.pop();
        stack.compute(`${x}===null?null:H.nth(${x},${a})`);
        return true;
      }
      case Op.CHECK_VECTOR:
      case Op.CHECK_MAP:
        out.push(`H.${op === Op.CHECK_MAP ? "checkMap" : "checkVector"}(${stack.use(stack.height - 1)});`);
        return true;
      case Op.LOOKUP:
      case Op.LOOKUP_OR: {
        const fallback = op === Op.LOOKUP ? "null" : stack.constant(ops[pc + 2] as number).text;
        stack.compute(`H.field(${stack.pop()},${stack.constant(a).text},${fallback})`);
        return true;
      }
      default:
        return false;
    }
  }

  private call(pc: number, count: number): boolean {
    const { stack } = this;
    const args = stack.popMany(count);
    const { constant, global, text } = stack.top;
    const frame = `base+${this.code.slots + stack.height - 1},depth+1${args.map((one) => `,${one}`).join("")}`;
    if (global !== undefined) {
      stack.drop();
      const l = `l${stack.link(global, count)}`;
      stack.compute(`(${l}.epoch===S.epoch?${l}:H.find(${l})).run(${l}.captured,${frame})`);
    } else if (constant instanceof Keyword) {
      if (count !== 1 && count !== 2) return this.leave(pc);
      stack.drop();
      stack.compute(`H.keyword(${text},${args[0]},${args[1] ?? "null"})`);
    } else if (isPure(constant, count)) {
      stack.drop();
      stack.compute(builtinCall(constant.name, text, args));
    } else if (constant !== undefined || !NAME.test(text)) return this.leave(pc);
    else {
      stack.drop();
      stack.compute(`H.target(${text},${count}).run(${text}.captured,${frame})`);
    }
    return true;
  }
}

/** The builtins of small integers that are used most are written out. */
function builtinCall(name: string, builtin: string, args: readonly string[]): string {
  const general = `H.builtin(${builtin},[${args.join(",")}])`;
  const [x, y] = args as [string, string];
  if (name === "even?") return `typeof ${x}==="number"?${x}%2===0:${general}`;
  if (name === "odd?") return `typeof ${x}==="number"?${x}%2!==0:${general}`;
  if (name === "mod" || name === "rem" || name === "quot")
    return `${bothNumbers(x, y)}&&${y}!==0?H.${name}(${x},${y}):${general}`;
  return general;
}

/** The name of a value, and no literal. */
const NAME = /^[stc][0-9[]/;
const LITERAL = /^\(?-?[0-9]/;

const bothNumbers = (x: string, y: string): string => {
  const checks = [x, y].filter((text) => !LITERAL.test(text)).map((text) => `typeof ${text}==="number"`);
  return checks.length === 0 ? "true" : checks.join("&&");
};
