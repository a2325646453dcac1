import { readFile } from "node:fs/promises";
import type { BundleOptions, WorkflowBundleOption } from "@temporalio/worker";
import { NavigatorError } from "../../core/base/navigator-error";
import { BUNDLE_ASSET, bundledTypes } from "../../node/sdk-internals/bundled-types";
import { TRACE_PASSED } from "../worker-parts";

/** Navigator's workflows in the bundle of an application (docs/embedding.md). */

const OWN = require.resolve("../../workflows");
const BESIDE_THEIRS = require.resolve("../../workflows/embedded/beside-theirs");

/** The workflow types of Navigator. */
const ownTypes = (): string[] => Object.keys(require("../../workflows") as object);

type Hook = NonNullable<BundleOptions["webpackConfigHook"]>;
type WebpackConfig = Parameters<Hook>[0];
interface Compiler {
  hooks: { afterCompile: { tapPromise(name: string, tap: (compilation: Compilation) => Promise<void>): void } };
}
interface Compilation {
  errors: unknown[];
  assets: { [file: string]: { source(): string | Buffer } };
}

/** The bundler's options, with Navigator's workflows beside the application's own. */
export function withOwnWorkflows(options: BundleOptions): BundleOptions {
  const { workflowsPath, workflowInterceptorModules = [], webpackConfigHook = (config) => config } = options;
  // A plugin that was given to the connection and to the worker is asked twice.
  if (workflowInterceptorModules.includes(TRACE_PASSED)) return options;
  const passing = { ...options, workflowInterceptorModules: [...workflowInterceptorModules, TRACE_PASSED] };
  if (workflowsPath === OWN) return passing;
  return {
    ...passing,
    workflowsPath: BESIDE_THEIRS,
    webpackConfigHook: (config) => webpackConfigHook(besideTheirs(config, workflowsPath)),
  };
}

function besideTheirs(config: WebpackConfig, theirs: string): WebpackConfig {
  const resolve = config.resolve ?? {};
  const { alias } = resolve;
  // Either form of webpack's: a hook of another plugin may have made a list of it.
  const withTheirs = Array.isArray(alias)
    ? [...alias, { name: "their-workflows", alias: theirs, onlyModule: true }]
    : { ...alias, "their-workflows$": theirs };
  return {
    ...config,
    resolve: { ...resolve, alias: withTheirs },
    plugins: [...(config.plugins ?? []), { apply: refuseClashes } as never],
  };
}

/** Thrown from here, the error is what `Worker.create` or `bundleWorkflowCode` rejects with. */
function refuseClashes(compiler: unknown): void {
  (compiler as Compiler).hooks.afterCompile.tapPromise("navigator", async ({ errors, assets }) => {
    const bundle = Object.entries(assets).find(([file]) => BUNDLE_ASSET.test(file))?.[1];
    // Code that does not compile is reported by the bundler.
    if (errors.length > 0 || bundle === undefined) return;
    const found = bundledTypes(String(bundle.source()));
    if ("clashing" in found) throw nameConflict("workflow", found.clashing);
  });
}

/** @throws NavigatorError `bad_project` for a bundle that was made without Navigator's workflows */
export async function checkBundle(bundle: WorkflowBundleOption): Promise<void> {
  const code = "code" in bundle ? bundle.code : await readFile(bundle.codePath, "utf8");
  const found = bundledTypes(code);
  if ("clashing" in found) throw nameConflict("workflow", found.clashing);
  if ("unknown" in found) return;
  const missing = ownTypes().filter((type) => !found.types.includes(type));
  if (missing.length === 0) return;
  throw new NavigatorError("bad_project", `The workflowBundle lacks workflows of Navigator: ${missing.join(", ")}.`, {
    hint: "Make the bundle with the plugin, bundleWorkflowCode({ workflowsPath, plugins: [new NavigatorPlugin()] }), or export these workflows of navigator-agents/workflows from yours",
    details: { path: "workflowBundle", missing },
  });
}

export function nameConflict(kind: "activity" | "workflow", names: readonly string[]): NavigatorError {
  const [what, things] = kind === "activity" ? ["Activities", "activities"] : ["Workflow types", "workflows"];
  return new NavigatorError(
    "already_exists",
    `${what} of this worker have the names of Navigator's: ${names.join(", ")}.`,
    { hint: `Give your ${things} other names.`, details: { path: names[0] ?? "", kind, names: [...names] } },
  );
}
