import { withoutSecrets } from "../core/agent/prompt/key-shapes";
import { shortened } from "../core/base/whole-characters";

/** Keeps secrets out of messages: providers like to repeat the key they refuse. */

const MAX_CHARS = 500;
/** The text with known secrets and everything shaped like one replaced, at most 500 characters. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  // A short "secret" such as "x" would blank ordinary words.
  for (const secret of secrets) if (secret.length >= 6) clean = clean.replaceAll(secret, "[secret]");
  clean = withoutSecrets(clean);
  return shortened(clean, MAX_CHARS);
}
