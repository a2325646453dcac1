import type { Json, JsonObject } from "../../../src/core/base/json";
import type { ToolSpec } from "../../../src/core/calls/tool";
import { lacksIdentity, onOtherEffect, onSameEffect } from "../../../src/core/effects/effect-settings";
import { type Field, type PrimitiveName, parseSignature, type Type, wireName } from "../../../src/core/signature/parse";
import { type CallPlace, callPlaceOf } from "./call-place";

/**
 * A tool as the missions of the proof call it. Effects are numbered: each number is other identity arguments, made from
 * the signature. What the tool declares is read here by the proof's own code, not by the ledger's.
 */
export class ProofTool {
  readonly name: string;
  /** How many effects the identity arguments can distinguish. */
  readonly kinds: number;
  /** The argument that is not part of the effect, and has the place of the call. */
  readonly memo: string | undefined;
  private readonly identity: Field[];
  private readonly rest: Field[];
  private readonly output: Type;
  /** Where the answer names its effect; undefined: it has no text. */
  private readonly read: Path | undefined;

  /** @throws SignatureError */
  constructor(readonly spec: ToolSpec) {
    this.name = spec.name;
    const { parameters, output } = signatureOf(spec);
    const names = spec.identity ? spec.identity.map(wireName) : undefined;
    const isOfEffect = ({ name, type }: Field) =>
      names?.includes(wireName(name)) ?? !(this.isUnnamed && name === "memo" && type.kind === "primitive");
    this.identity = parameters.filter(isOfEffect);
    const rest = parameters.filter((field) => !isOfEffect(field));
    const memo = rest.find(({ type }) => type.kind === "primitive" && type.name === "string");
    this.memo = memo && wireName(memo.name);
    this.rest = rest.filter((field) => field !== memo);
    this.output = output;
    this.read = leavesOf(output).find(({ type }) => type === "string" || type === "any")?.path;
    const leaves = this.identity.flatMap(({ type }) => leavesOf(type));
    const isEndless = leaves.some(({ type }) => type !== "bool");
    this.kinds = isEndless ? Number.POSITIVE_INFINITY : 2 ** leaves.length;
  }

  /** People decide whether a call in other words is the same effect. */
  get isUnnamed(): boolean {
    return lacksIdentity(this.spec);
  }

  /** Every call that is made is a separate effect. */
  get everyCallCounts(): boolean {
    return this.spec.repeatable === true || this.spec.on_same_effect === "run";
  }

  /** An equal call is not made again, also after the mission continued: its words show it. */
  get isDoneOnce(): boolean {
    const { repeatable, on_same_effect } = this.spec;
    return !repeatable && (on_same_effect === "reuse" || on_same_effect === "fail");
  }

  /** A call whose effect is done fails: the program continues, as it is done. */
  get refusesRepeats(): boolean {
    return !this.spec.repeatable && onSameEffect(this.spec) === "fail";
  }

  /** A task's name may not stand for other effects. */
  get refusesOthers(): boolean {
    return onOtherEffect(this.spec) === "fail";
  }

  /** The identity arguments of an effect. Numbers below `kinds` give different ones. */
  effect(number: number): JsonObject {
    const leaves = this.identity.flatMap(({ type }) => leavesOf(type));
    const last = leaves.findLastIndex(({ type }) => type !== "bool");
    let left = this.kinds === Number.POSITIVE_INFINITY ? number : number % this.kinds;
    const digits = leaves.map(({ type }, at) => {
      if (at === last) return 0;
      const base = type === "bool" ? 2 : FEW;
      const digit = left % base;
      left = Math.floor(left / base);
      return digit;
    });
    if (last >= 0) digits[last] = left;
    return argumentsOf(this.identity, (type) => sample(type, digits.shift() ?? 0));
  }

  /** The arguments of a call of an effect. Arguments outside the effect depend on `words`. */
  args(effect: JsonObject, memo: string, words: string): JsonObject {
    const rest = argumentsOf(this.rest, (type) => sample(type, words.length % FEW));
    return { ...(this.memo === undefined ? {} : { [this.memo]: memo }), ...effect, ...rest };
  }

  /** The effect that a call asks for. */
  effectOf(args: JsonObject): string {
    const names = this.identity.map(({ name }) => wireName(name));
    return effectText(this.name, Object.fromEntries(names.map((name) => [name, args[name] ?? null])));
  }

  /** The place that the call carries; undefined: it has no argument for it. */
  placeIn(args: JsonObject): CallPlace | undefined {
    return this.memo === undefined ? undefined : callPlaceOf(args[this.memo]);
  }

  /** What the service answers. */
  answer(effect: string, receipt: number): Json {
    let isNamed = false;
    return filled(this.output, (type) => {
      if (type === "int") return receipt;
      if (isNamed || (type !== "string" && type !== "any")) return sample(type, 0);
      isNamed = true;
      return effect;
    });
  }

  /** The program text that gives the effect of an answer: the effect in the answer, or else the requested one. */
  readSource(answer: string, effect: string): string {
    if (this.read === undefined) return `(do ${answer} ${JSON.stringify(effect)})`;
    return this.read.reduce<string>(
      (source, key) => (typeof key === "number" ? `(nth ${source} ${key})` : `(get ${source} :${key})`),
      answer,
    );
  }
}

/** The tools that missions call. */
export class ProofTools {
  readonly names: readonly string[];
  private readonly byName: ReadonlyMap<string, ProofTool>;

  /** @throws SignatureError */
  constructor(specs: readonly ToolSpec[]) {
    this.byName = new Map(specs.map((spec) => [spec.name, new ProofTool(spec)]));
    this.names = [...this.byName.keys()];
  }

  get all(): ProofTool[] {
    return [...this.byName.values()];
  }

  get specs(): ToolSpec[] {
    return this.all.map(({ spec }) => spec);
  }

  /** @throws Error for a tool that no mission calls */
  of(name: string): ProofTool {
    const tool = this.byName.get(name);
    if (tool === undefined) throw new Error(`No mission of the proof calls tool/${name}.`);
    return tool;
  }
}

/** The name of an effect, as service and programs spell it: the tool and its identity arguments. */
export function effectText(tool: string, args: JsonObject): string {
  const shown = Object.entries(args).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [tool, ...shown].join(" ");
}

/** The tool of an effect. */
export const toolOfEffect = (effect: string): string => effect.split(" ", 1)[0] as string;

/** A tool without a signature takes anything, and answers as the service likes. */
function signatureOf({ signature, identity }: ToolSpec) {
  if (signature !== undefined) return parseSignature(signature);
  const any = (name: string): Field => ({ name, type: { kind: "primitive", name: "any", optional: false } });
  const receipt: Field = { name: "receipt", type: { kind: "primitive", name: "int", optional: false } };
  return {
    parameters: (identity || ["item"]).map(any),
    output: { kind: "record", fields: [any("effect"), receipt] } as Type,
  };
}

type Path = (string | number)[];

/** The places of a type that have a value, in the order in which `filled` fills them. */
function leavesOf(type: Type, path: Path = []): { path: Path; type: PrimitiveName }[] {
  switch (type.kind) {
    case "list":
      return leavesOf(type.of, [...path, 0]);
    case "record":
      return type.fields.flatMap((field) => leavesOf(field.type, [...path, wireName(field.name)]));
    case "primitive":
      return [{ path, type: type.name }];
  }
}

function filled(type: Type, fill: (type: PrimitiveName) => Json): Json {
  switch (type.kind) {
    case "list":
      return [filled(type.of, fill)];
    case "record":
      return argumentsOf(type.fields, fill);
    case "primitive":
      return fill(type.name);
  }
}

const argumentsOf = (fields: readonly Field[], fill: (type: PrimitiveName) => Json): JsonObject =>
  Object.fromEntries(fields.map(({ name, type }) => [wireName(name), filled(type, fill)]));

/** Of several arguments all but one take few values, so that effects differ in one of them only. */
const FEW = 3;
const WORDS = ["ada", "ben", "cy"];

/** The value of a type with a number: other numbers, other values. There are only two of `bool`. */
function sample(type: PrimitiveName, number: number): Json {
  const word = WORDS[number] ?? `name${number}`;
  switch (type) {
    case "int":
      return number + 1;
    case "float":
      return number + 0.5;
    case "bool":
      return number % 2 === 1;
    case "map":
      return { item: word };
    default:
      return word;
  }
}
