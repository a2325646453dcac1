import { answerType } from "../text/text-prompt";
import { AgentFile } from "./agent-file";
import type { AgentDefinition } from "./definition";

/** What applications ask of a definition (agent reference, section 17). */

/** Whether what the agent returns is plain text: it has no signature, or one whose output is a string. */
export const textReturn = (agent: AgentDefinition): boolean => answerType(agent) === null;

/** `format_options` of an agent that says nothing about them. */
export const defaultFormatOptions = (): AgentDefinition["format_options"] =>
  AgentFile().shape.format_options.parse(undefined);
