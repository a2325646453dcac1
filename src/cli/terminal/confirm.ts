import { createInterface } from "node:readline/promises";
import { NavigatorError } from "../../core/base/navigator-error";
import type { CommandIo } from "./io";

/**
 * Asks on a terminal before a step that cannot be taken back.
 *
 * @throws NavigatorError `confirmation_required` with this refusal, unless the person answers yes
 */
export async function confirm(
  io: CommandIo,
  question: string,
  refusal: { message: string; hint: string; details: object },
): Promise<void> {
  if (process.stdin.isTTY && !io.json) {
    const prompt = createInterface({ input: process.stdin, output: process.stderr });
    const given = await prompt.question(`${question} [y/N] `).finally(() => prompt.close());
    if (/^y(es)?$/i.test(given.trim())) return;
  }
  const { message, hint, details } = refusal;
  throw new NavigatorError("confirmation_required", message, { hint, details });
}
