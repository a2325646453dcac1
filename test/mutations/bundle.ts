import { readFileSync } from "node:fs";
import path from "node:path";
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundle } from "@temporalio/worker";
import { activityNames, filesBelow, messageDefinitions, SOURCES, WORKFLOWS } from "../support/workflow-code";
import { instrument, type Names, type Place } from "./places";

/** The workflow code with its places for one more command. */

const CODE = [WORKFLOWS, path.join(SOURCES, "core")];

let known: Names | undefined;

function names(): Names {
  known ??= {
    queries: new Set(
      messageDefinitions()
        .filter(({ kind }) => kind === "query")
        .map(({ constant }) => constant),
    ),
    activities: new Set(activityNames()),
  };
  return known;
}

const EXTRA = path.join(__dirname, "extra-command");

/**
 * @param file absolute
 * @param only the place where the command is always inserted, and nowhere else; absent: each replay chooses one
 */
export function withPlaces(source: string, file: string, only?: string): string {
  const when = (id: string) => (only === undefined ? `__chosen(${JSON.stringify(id)})` : String(id === only));
  const { code, places } = instrument(source, path.relative(SOURCES, file), names(), {
    awaited: (id) => `${when(id)} && (await __extraCommand())`,
    plain: (id) => `${when(id)} && void __extraCommand()`,
  });
  if (places.length === 0) return source;
  return `${code}\nimport { chosen as __chosen, extraCommand as __extraCommand } from ${JSON.stringify(EXTRA)};\n`;
}

/** The places of all code that runs in workflows, in the order of their files. */
export function allPlaces(): Place[] {
  const nothing = { awaited: () => "false", plain: () => "false" };
  return CODE.flatMap((folder) =>
    filesBelow(folder).flatMap((below) => {
      const file = path.join(folder, below);
      return instrument(readFileSync(file, "utf8"), path.relative(SOURCES, file), names(), nothing).places;
    }),
  );
}

/** @param only as in `withPlaces` */
export function bundleWithPlaces(only?: string): Promise<WorkflowBundle> {
  const loader = { loader: path.join(__dirname, "loader.cjs"), options: only === undefined ? {} : { only } };
  return bundleWorkflowCode({
    workflowsPath: path.join(WORKFLOWS, "index.ts"),
    logger: new DefaultLogger("ERROR"),
    webpackConfigHook: (config) => ({
      ...config,
      module: {
        ...config.module,
        rules: [...(config.module?.rules ?? []), { test: /\.ts$/, include: CODE, enforce: "pre", use: [loader] }],
      },
    }),
  });
}
