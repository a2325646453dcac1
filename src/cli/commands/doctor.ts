import type { Command } from "commander";
import type { CommandIo } from "../io";
import { renderTable } from "../render";

/** `navigator doctor`: what is found, what is missing and what to do about it. Exit code 3 when no server can be had. */
export function registerDoctor(program: Command, io: CommandIo): void {
  program
    .command("doctor")
    .description("what is found on this machine, what is missing, and what to do about it")
    .addHelpText("after", "\nExample:\n  $ navigator doctor --json | jq .checks")
    .action(async () => {
      const { diagnose } = await import("../../server/diagnose");
      const { loadConfig } = await import("../../config");
      const report = await diagnose(loadConfig(), process.env);
      const sign = { ok: io.color.green("ok"), note: io.color.yellow("note"), missing: io.color.red("missing") };
      io.result(report, () =>
        [
          renderTable(report.checks.map((check) => [sign[check.state], check.name, check.found])),
          ...report.checks
            .filter((check) => check.hint)
            .map((check) => `\n${io.color.bold(check.name)}: ${check.hint}`),
          `\n${report.ready ? io.color.green("Ready.") : io.color.red("No Temporal server can be had yet.")}`,
        ].join("\n"),
      );
      if (!report.ready) process.exitCode = 3;
    });
}
