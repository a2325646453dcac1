import type { TopCommands } from "../../terminal/command";
import { planCheckCommands } from "./check";
import { planRunCommands } from "./run";
import { planShowCommands } from "./show";

/** `navigator plan`: plans of tasks for agents. */
export const planCommands: TopCommands = {
  plan: {
    commands: [...planCheckCommands, ...planRunCommands, ...planShowCommands],
  },
};
