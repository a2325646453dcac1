import { isObject } from "../core/base/is-object";
import { NavigatorError } from "../core/base/navigator-error";
import { type AiSdkTool, isAiSdkTool } from "./ai-sdk-tool";
import { defineTool, type Tool } from "./tool";

/** Tools by their names, as the AI SDK has them. A tool of `defineTool` keeps its own name. */
export interface ToolMap {
  readonly [name: string]: Tool | AiSdkTool;
}

/** Tools as a worker or a project is given them: a list of tools and maps of tools, or a map. */
export type GivenTools = Iterable<Tool | ToolMap> | ToolMap;

/** @throws NavigatorError `invalid_tool` for a tool of the AI SDK that cannot be used, or has no name */
export function toolsOf(given: GivenTools): Tool[] {
  const all = isIterable(given) ? [...given] : Object.keys(given).length > 0 ? [given] : [];
  return all.flatMap((entry) => {
    if (isAiSdkTool(entry))
      throw new NavigatorError(
        "invalid_tool",
        "A tool has no name. This is a tool() of the AI SDK: write { name: tool }.",
      );
    return isToolMap(entry) ? toolsOfMap(entry) : [entry as Tool];
  });
}

const isIterable = (given: GivenTools): given is Iterable<Tool | ToolMap> =>
  typeof given === "object" && given !== null && Symbol.iterator in given;

/** A map whose values are all tools. */
export const isToolMap = (value: unknown): value is ToolMap =>
  isObject(value) &&
  !isTool(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every((one) => isTool(one) || isAiSdkTool(one));

const toolsOfMap = (map: ToolMap): Tool[] => Object.entries(map).map(([name, tool]) => toolNamed(name, tool));

/** The tool under a name: a tool of `defineTool` keeps its own. @throws NavigatorError `invalid_tool` */
export const toolNamed = (name: string, tool: Tool | AiSdkTool): Tool =>
  isTool(tool) ? tool : madeOf(tool, defineTool(name, tool as AiSdkTool<unknown>));

/** Under this key a tool has the tool of the AI SDK that it is, unchanged. */
const MADE_OF: unique symbol = Symbol.for("navigator.made-of") as never;

const madeOf = (source: AiSdkTool, tool: Tool): Tool => Object.defineProperty(tool, MADE_OF, { value: source });

/** Whether both are one object: a tool of `defineTool`, or one of the AI SDK that was given twice under its name. */
export function isSameTool(one: object, other: object): boolean {
  const [a, b] = [one, other].map((tool) => (tool as { [MADE_OF]?: object })[MADE_OF] ?? tool);
  return a === b;
}

/** What `defineTool` gives. */
export const isTool = (value: unknown): value is Tool => isObject(value) && isObject(value.spec);
