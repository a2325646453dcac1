import { createInterface, type Interface } from "node:readline/promises";
import { jsonArgument } from "../../src/cli/input/arguments";
import { EXIT } from "../../src/cli/terminal/exit";
import type { CommandIo } from "../../src/cli/terminal/io";
import type { Json } from "../../src/core/base/json";
import { NavigatorError } from "../../src/core/base/navigator-error";
import type { Review } from "../../src/core/review/review";

/** The answer of a person to a review. */
export interface Answer {
  choice: string;
  by: string;
  /** What runs instead of what was asked for, or what goes with an answer. */
  value?: Json;
  note?: string;
}

/** The people of an example: the person at the terminal, or with `--yes` the suggestions of the example. */
export class Person {
  constructor(
    private readonly io: CommandIo,
    private readonly yes: boolean,
  ) {}

  /** One answer for each one suggested: two where two people must agree. */
  async answers(review: Review, suggested: Answer[]): Promise<Answer[]> {
    this.io.err(`\n  ${this.io.color.bold(review.title)}`);
    this.io.err(review.body.replace(/^/gm, "    "));
    if (this.yes || !process.stdin.isTTY) return suggested;
    const prompt = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const answers: Answer[] = [];
      for (const suggestion of suggested) answers.push(await this.ask(prompt, review, suggestion));
      return answers;
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ABORT_ERR") throw error;
      throw new NavigatorError("interrupted", "Nobody decided, so the run is still waiting: the example ends here.", {
        hint: "With --yes it answers automatically.",
        exitCode: EXIT.waiting,
      });
    } finally {
      prompt.close();
    }
  }

  private async ask(prompt: Interface, review: Review, suggestion: Answer): Promise<Answer> {
    const { by } = suggestion;
    for (;;) {
      const line = await prompt.question(`  ${by}: [${review.choices.join(" / ")}, Enter: ${shown(suggestion)}] `);
      if (line.trim() === "") return suggestion;
      const choice = line.trim();
      if (!review.choices.includes(choice)) {
        this.io.err(`  "${choice}" is not one of the choices.`);
        continue;
      }
      if (review.editable?.choice !== choice) return { choice, by };
      const value = await prompt.question("  other arguments, as JSON [Enter: as they are] ");
      if (value.trim() === "") return { choice, by };
      return { choice, by, value: jsonArgument("the arguments", value) };
    }
  }
}

const shown = ({ choice, value }: Answer): string =>
  value === undefined ? choice : `${choice} with ${JSON.stringify(value)}`;
