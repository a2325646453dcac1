// The Temporal CLI in the cache, so that tests and benches start their server at once. From the sources, because it may
// take Go minutes and need not wait for the build: `node -r ./scripts/register-ts.cjs scripts/temporal-cli.ts`.
import type { NavigatorError } from "../src/core/base/navigator-error";
import { loadConfig } from "../src/node/settings";
import { ensureCli } from "../src/server/temporal-cli";

const say = (text: string) => void process.stderr.write(`${text}\n`);

ensureCli({ ...loadConfig(), env: process.env, progress: say }).catch((error: NavigatorError) => {
  say(`error ${error.message}`);
  for (const line of (error.hint ?? "").split("\n").filter(Boolean)) say(`  -> ${line}`);
  process.exitCode = 3;
});
