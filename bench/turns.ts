import { DefaultLogger, Runtime } from "@temporalio/worker";
import { HELP, readTurnOptions } from "./turns/options";
import { runBench } from "./turns/run-bench";

async function main(args: string[]): Promise<boolean> {
  const options = readTurnOptions(args);
  if (options.help) {
    process.stdout.write(HELP);
    return true;
  }
  Runtime.install({
    logger: new DefaultLogger("ERROR"),
    telemetryOptions: { logging: { forward: {}, filter: { core: "ERROR", other: "ERROR" } } },
  });
  const { text, isRight } = await runBench(options, (line) => process.stderr.write(`${line}\n`));
  process.stdout.write(`${text}\n`);
  return isRight;
}

main(process.argv.slice(2)).then(
  (isRight) => process.exit(isRight ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`error ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  },
);
