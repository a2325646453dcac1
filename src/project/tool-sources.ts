import type { z } from "zod";
import { McpSettings } from "../tools/mcp/settings";
import { McpSource } from "../tools/mcp/source";
import { OpenApiSettings } from "../tools/openapi/settings";
import { OpenApiSource } from "../tools/openapi/source";
import type { SourcePlace, ToolSource } from "../tools/source";

const kind = <S extends z.ZodObject>(
  settings: S,
  Source: new (name: string, settings: z.output<S>, place: SourcePlace) => ToolSource,
) => ({ settings, make: (name: string, given: z.output<S>, place: SourcePlace) => new Source(name, given, place) });

/** The kinds of tool sources, each under its key in `navigator.config`. A new kind is a folder in `src/tools` and a line here. */
export const TOOL_SOURCES = {
  mcp: kind(McpSettings, McpSource),
  http: kind(OpenApiSettings, OpenApiSource),
};

type SourceKey = keyof typeof TOOL_SOURCES;
/** Of each kind: its settings, as its schema gives them, by the source's name. */
export type SourcesConfig = {
  [K in SourceKey]: { [name: string]: z.output<(typeof TOOL_SOURCES)[K]["settings"]> };
};

/** The same as a configuration file gives it: what has a default may be left out. */
export type SourcesInput = {
  [K in SourceKey]?: { [name: string]: z.input<(typeof TOOL_SOURCES)[K]["settings"]> };
};

/** The sources of a project, in the order of the kinds. None is opened. */
export const makeSources = (config: SourcesConfig, place: SourcePlace): ToolSource[] =>
  Object.entries(TOOL_SOURCES).flatMap(([key, { make }]) =>
    Object.entries(config[key as SourceKey]).map(([name, settings]) => make(name, settings as never, place)),
  );
