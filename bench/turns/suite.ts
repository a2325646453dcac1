import type { Json, JsonObject } from "../../src/core/base/json";
import type { JsonSchema } from "../../src/tools/schema/json-schema";

/**
 * A public suite of conversations with known right answers, as the bench sees it. Another suite is another implementation of
 * `TurnSuite`: nothing else of the bench knows where its conversations come from.
 */
export interface TurnSuite {
  /** For `--suite`. */
  readonly name: string;
  /** Whose it is, which version, under which licence. */
  readonly about: string;
  /** Groups of its conversations, for `--only`. */
  readonly kinds: readonly string[];
  /** Installs what is missing and starts its simulators. */
  open(progress: (line: string) => void): Promise<OpenTurnSuite>;
}

export interface OpenTurnSuite {
  readonly tools: ReadonlyMap<string, SuiteTool>;
  readonly conversations: readonly Conversation[];
  /** The state of one conversation, at its beginning. */
  session(conversation: string): Promise<SuiteSession>;
  close(): Promise<void>;
}

/** A tool of the suite, as the suite describes it. */
export interface SuiteTool {
  name: string;
  description: string;
  input: JsonSchema;
  /** What it answers, as the suite tells models; it is not checked. */
  output?: JsonSchema;
  /** It changes nothing, so it may be called again. */
  isRead: boolean;
}

export interface Conversation {
  id: string;
  kind: string;
  /** The tools that are there from the beginning. */
  tools: readonly string[];
  turns: readonly UserTurn[];
}

/** What a user says, and what is right to do about it. */
export interface UserTurn {
  says: string;
  /** In order; none where the right thing is to do nothing. */
  calls: readonly GoldCall[];
  /** Tools that are there from this turn on. */
  adds: readonly string[];
}

/** A call of the suite's own solution, and what its simulators answer. */
export interface GoldCall {
  tool: string;
  args: JsonObject;
  answer: Json;
}

export interface SuiteSession {
  call(turn: number, tool: string, args: JsonObject): Promise<Json>;
  /** What is wrong with the state after a turn, by the suite's own checkers. */
  judge(turn: number): Promise<string[]>;
  /** The same of the whole conversation. The session is over then. */
  end(): Promise<string[]>;
}
