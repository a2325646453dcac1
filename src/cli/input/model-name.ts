import { NavigatorError } from "../../core/base/navigator-error";
import { ModelError, type ModelResolver } from "../../models";
import { type Config, scriptFromHere } from "../../node/settings";

export interface ModelChoice {
  /** `--model`. */
  option?: string | undefined;
  /** The agent's own. */
  agent?: string | undefined;
  config: Pick<Config, "model">;
}

/**
 * The model of a run: the option, else the agent's, else NAVIGATOR_MODEL, else `scripted`. An unknown name and an unusable script are
 * refused before anything starts.
 *
 * @param models of the project; `here`: whether this process does the work. Another process may have other keys, and its own script for
 *   `scripted`.
 */
export function modelOf(choice: ModelChoice, models: ModelResolver, here: boolean): string {
  const given = choice.option === undefined ? undefined : scriptFromHere(choice.option);
  const name = given ?? choice.agent ?? choice.config.model ?? "scripted";
  try {
    models.resolve(name);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const settledElsewhere = !here && error.errorClass === "config_error" && !name.startsWith("scripted:");
    if (!settledElsewhere) throw refusal(error, choice);
  }
  return name;
}

function refusal(error: ModelError, { option, agent, config }: ModelChoice): NavigatorError {
  const from =
    option !== undefined
      ? "--model: "
      : agent !== undefined
        ? "The agent's model: "
        : config.model
          ? "NAVIGATOR_MODEL: "
          : "";
  return new NavigatorError("invalid_input", `${from}${error.message}`, {
    hint: hintFor(error, option ?? agent ?? config.model),
    details: { path: "model" },
  });
}

function hintFor({ errorClass, message }: ModelError, named: string | null | undefined): string {
  if ((named === null || named === undefined) && errorClass === "config_error")
    return `No model is named, so \`scripted\` was tried. Name one: --model anthropic/claude-sonnet-4-5, or set NAVIGATOR_MODEL=provider/model.\nOr give \`scripted\` its replies: --model scripted:FILE, or \`script\` in navigator.config.`;
  if (errorClass === "llm_not_found")
    return "A model is provider/model (as in anthropic/claude-sonnet-4-5), scripted, or scripted:FILE.";
  return /script/.test(message)
    ? "A script is a list of replies, or one such list for each agent; FILE is relative to the current folder."
    : "Set it here, or leave the run to a worker that has it: --detach.";
}
