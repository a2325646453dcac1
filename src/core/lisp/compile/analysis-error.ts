import type { ProgramErrorCode } from "../values/errors";
import { LispError, type Place } from "../values/errors";

/** A mistake that is found before the program starts. */
export function analysisError(code: ProgramErrorCode, message: string, at: Place | undefined): LispError {
  return new LispError("analysis_error", code, message, at);
}
