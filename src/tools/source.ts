import { NavigatorError } from "../core/base/navigator-error";
import type { Logger } from "../node/log";
import type { Tool } from "./tool";

/** A source of tools that are not code of the project: an MCP server or an OpenAPI document. */
export interface ToolSource {
  /** `mcp files`, `http shop`: for messages and lists. */
  readonly name: string;
  /** `open` only reads a description of the tools: it starts nothing, and does not ask their service. */
  readonly isDeclared?: true;
  /**
   * Connects and returns the tools. Before this call nothing runs, and the network is not used.
   *
   * @throws NavigatorError
   */
  open(): Promise<OpenedSource>;
  /** Called whenever the tools have changed after `open`. */
  onChange(listener: (tools: Tool[]) => void): void;
  /** Ends everything that `open` started. */
  close(): Promise<void>;
  /**
   * Logs a person in, and keeps the tokens for the workers of this user.
   *
   * @param options.show shows the person where to log in. @throws NavigatorError
   */
  logIn?(options: { port: number; show(address: string): void }): Promise<void>;
  /** Forgets the login. Whether there was one. */
  logOut?(): Promise<boolean>;
}

/** The result of opening a source of tools. */
export interface OpenedSource {
  tools: Tool[];
  /** Parts of the source that cannot become a tool, with the reason. */
  left_out: LeftOut[];
}

/** A part of a source that is not offered as a tool, with the reason. */
export interface LeftOut {
  name: string;
  reason: string;
}

/** Where a source of tools is opened: the folder and environment of its settings. */
export interface SourcePlace {
  /** Paths in the settings are relative to this folder. */
  folder: string;
  env: NodeJS.ProcessEnv;
  log?: Logger | undefined;
}

/** A mistake in the settings, with its place. */
export const badSetting = (place: string, problem: string): NavigatorError =>
  new NavigatorError("bad_project", `${place}: ${problem}`, { details: { path: place } });

/** A part of a source that cannot become a tool. */
export class Unusable extends Error {}
