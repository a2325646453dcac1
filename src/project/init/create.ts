import path from "node:path";
import { NavigatorError } from "../../core/base/navigator-error";
import { initProject } from "./init-project";
import { initializedText } from "./initialized-text";

/**
 * `npm create navigator-agents my-app`: the whole of the package `create-navigator-agents`, which has this file as a
 * bundle next to the template, and needs nothing else.
 */
function main([target = ".", ...rest]: string[], env: NodeJS.ProcessEnv): number {
  if (target === "--help" || target === "-h") {
    process.stdout.write(
      "npm create navigator-agents [folder]\n\nMakes a Navigator project in the folder (default: this one).\n",
    );
    return 0;
  }
  if (target.startsWith("-") || rest.length > 0) {
    process.stderr.write("error [bad_usage] It takes one folder: npm create navigator-agents my-app\n");
    return 2;
  }
  try {
    const packageFolder = path.join(__dirname, "..");
    const { version } = require(path.join(packageFolder, "package.json")) as { version: string };
    const made = initProject(target, {
      template: path.join(packageFolder, "templates", "project"),
      version,
      userAgent: env.npm_config_user_agent,
    });
    process.stdout.write(`${initializedText(made)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    process.stderr.write(
      `error [${error.code}] ${error.message}\n${error.hint === undefined ? "" : `  ${error.hint}\n`}`,
    );
    return 2;
  }
}

process.exitCode = main(process.argv.slice(2), process.env);
