import { NavigatorError } from "../core/base/navigator-error";
import { type ModelResolver, prepareModels } from "../models";

/**
 * The name of a model that workers will call. A key or a script that is missing here may be there.
 *
 * @throws NavigatorError `invalid_input` for a name that no worker can know
 */
export function checkedModel(models: ModelResolver, name: string): string {
  const [prepared] = prepareModels(models, [name]);
  if (prepared?.usable === false && prepared.errorClass !== "config_error")
    throw new NavigatorError("invalid_input", prepared.problem, {
      hint: "A model is provider/model (as in anthropic/claude-sonnet-4-5), scripted, or scripted:FILE.",
      details: { path: "model", model: name },
    });
  return name;
}
