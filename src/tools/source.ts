import { NavigatorError } from "../core/base/navigator-error";
import type { Logger } from "../node/log";
import type { Tool } from "./tool";

/** Where tools come from that are not code of the project: an MCP server, an OpenAPI document. */
export interface ToolSource {
  /** `mcp files`, `http shop`: for messages and lists. */
  readonly name: string;
  /**
   * Connects and gives the tools. Until then nothing runs and nothing is asked of the network.
   *
   * @throws NavigatorError
   */
  open(): Promise<OpenedSource>;
  /** Told whenever the tools changed after `open`. */
  onChange(listener: (tools: Tool[]) => void): void;
  /** Ends what `open` started. */
  close(): Promise<void>;
}

/** What opening a source of tools gives. */
export interface OpenedSource {
  tools: Tool[];
  /** What the source has and no tool can be made of, and why. */
  left_out: LeftOut[];
}

/** Something of a source that is not offered as a tool, and why. */
export interface LeftOut {
  name: string;
  reason: string;
}

export interface SourcePlace {
  /** Paths in the settings start here. */
  folder: string;
  env: NodeJS.ProcessEnv;
  log?: Logger | undefined;
}

/** A mistake in the settings, with its place. */
export const badSetting = (place: string, problem: string): NavigatorError =>
  new NavigatorError("invalid_tool_source", `${place}: ${problem}`);

/** Something of a source that no tool can be made of. */
export class Unusable extends Error {}
