import { hasPeople } from "../../../core/review/people/people-file";
import { loadPeople } from "../../../node/identity/people-on-disk";
import { findMission } from "../../input/find-mission";
import { CONFIG_OPTION, projectPlace } from "../../session/project-people";

import { withSession } from "../../session/session";
import type { CommandSpec } from "../../terminal/command";
import type { CommandIo } from "../../terminal/io";

/** `navigator ledger export`. */
export const ledgerExportCommands: readonly CommandSpec[] = [
  {
    name: "export <id>",
    about: "print the ledger of a mission, a task or a plan",
    options: [CONFIG_OPTION],
    notes: `The ledger of a mission, a task or a plan, with everything below it, from the histories: no worker is needed. It has arguments,
answers and the words of people: keep it where the mission's data may be. The public keys of people.yaml are in it, too.
The output is JSON Lines, with --json as well.`,
    examples: ["navigator ledger export order-42 > ledger.jsonl", "navigator ledger verify ledger.jsonl"],
    run: (io: CommandIo, id: string) =>
      withSession(io, "read", async ({ client }) => {
        const { file } = await projectPlace(io);
        const people = loadPeople(file);
        io.document(
          await findMission(id, (workflowId) => client.ledger(workflowId, hasPeople(people) ? people : null)),
        );
      }),
  },
];
