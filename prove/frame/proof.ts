import type { Json, JsonObject } from "../../src/core/base/json";
import type { Random } from "./random";
import type { ProvedProject } from "./report";
import type { SizesOf, SizeTable } from "./sizes";

/**
 * A promise of the product as code: its text, how large a proof of it is, and how it is run. This part is small, so
 * that `navigator prove --help` is quick; `load` brings the code.
 */
export interface ProofDefinition<T extends SizeTable = SizeTable> {
  /** The name of its command: `navigator prove NAME`. */
  name: string;
  /** One sentence that can be false. */
  promise: string;
  /** Its options, with the defaults of `--quick` and of a normal run. */
  sizes: T;
  /** Whether a run of these sizes needs a Temporal server. */
  needsServer(sizes: SizesOf<T>): boolean;
  /**
   * Figures that must be above 0: a proof that tried nothing proves nothing. They count for whole runs, not for one case
   * (`--case`).
   */
  exercised(sizes: SizesOf<T>, project: ProjectOfProof | null): readonly string[];
  /** Set when it can run on the tools and agents of a project (`--project FOLDER`), instead of the built-in missions. */
  onProject?: true;
  load(): Promise<Proof<T>>;
}

/** The code of a proof. @returns what it counted */
export type Proof<T extends SizeTable = SizeTable> = ProofMethods<T>["run"];

/** As a method, so that proofs with different sizes fit in one list. */
interface ProofMethods<T extends SizeTable> {
  run(context: ProofContext<SizesOf<T>>): Promise<Figures>;
}

/** What a proof counted. The frame adds `violations` when there are any. */
export type Figures = { [name: string]: number };

/** What a proof is run with. */
export interface ProofContext<S> {
  seed: number;
  sizes: S;
  /** `--case`: only this case is run; null = all of them. */
  only: number | null;
  /** `--project`: the user's project; null = the built-in missions. */
  project: ProjectOfProof | null;
  /** Receives the findings of the proof in the project. */
  ofProject(found: ProvedProject): void;
  /** Choices of one case. They depend on the seed and on its number alone, so `--case` gets the same ones. */
  random(index: number): Random;
  /** The numbers of the cases to run: 0 to `count` - 1, or the one of `--case`. Progress is reported before each. */
  cases(count: number): Iterable<number>;
  /** For proofs that do not go case by case. */
  progress(done: number, total: number): void;
  /** Notes a violation. `smallest` is the case after shrinking. */
  violation(found: FoundViolation): void;
  /** Whether as many violations are noted as a report lists: a proof may stop then. */
  enough(): boolean;
  /** The server of the run. @throws where `needsServer` is false */
  server(): ProofServer;
}

/** The project that a proof runs on. */
export interface ProjectOfProof {
  folder: string;
  /** `--tool`: only these tools; none = all. */
  tools: readonly string[];
  /** `--call-tools`: the tools are called, too; absent = none is. */
  calls?: CallsOfProof;
}

/** How the tools of a project are called. */
export interface CallsOfProof {
  /** Arguments by tool, instead of made-up ones. */
  args: { readonly [tool: string]: JsonObject };
  /** Shows what will be called. @throws NavigatorError when nobody agrees: then nothing is called */
  confirm(calls: readonly AnnouncedCall[]): Promise<void>;
}

/** A tool that a proof will call, more than once if it may be. */
export interface AnnouncedCall {
  tool: string;
  effect: "write" | "irreversible";
  args: JsonObject;
  /** It is taken back afterwards. */
  undo: boolean;
}

/** A violation as a proof notes it. */
export interface FoundViolation {
  what: string;
  where: string;
  /** The number of its case; null = none. */
  case: number | null;
  smallest: Json;
}

/** A Temporal server that a proof may use, but not end. */
export interface ProofServer {
  address: string;
  namespace: string;
}

/** A definition with its sizes as types: `load` gets a function that takes these sizes. */
export const defineProof = <const T extends SizeTable>(definition: ProofDefinition<T>): ProofDefinition<T> =>
  definition;
