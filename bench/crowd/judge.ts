/** What many orchestrators saw of a queue of tasks, held against what each task says at the end. */

/** A claim as its holder was told of it. Times are the server's, in ms since 1970. */
export interface SeenClaim {
  task: string;
  owner: string;
  from: number;
  until: number;
}

/** A move that an orchestrator was told has happened. */
export interface SeenMove {
  task: string;
  owner: string;
  output: string;
}

/** A task at the end. */
export interface FinalTask {
  id: string;
  status: string;
  outputs: unknown[];
}

export interface Seen {
  claims: readonly SeenClaim[];
  moves: readonly SeenMove[];
}

/** What is wrong: a task that two held at once, a result that is lost, a task that moved twice or is left. */
export function judge({ claims, moves }: Seen, tasks: readonly FinalTask[], expected: number): string[] {
  return [
    ...(tasks.length === expected ? [] : [`There are ${tasks.length} tasks at the end, not ${expected}.`]),
    ...heldTwice(claims),
    ...tasks.flatMap((task) =>
      faultsOf(
        task,
        moves.filter((move) => move.task === task.id),
      ),
    ),
  ];
}

function heldTwice(claims: readonly SeenClaim[]): string[] {
  const byTask = new Map<string, SeenClaim[]>();
  for (const claim of claims) byTask.set(claim.task, [...(byTask.get(claim.task) ?? []), claim]);
  return [...byTask].flatMap(([task, held]) => {
    const inOrder = held.sort((a, b) => a.from - b.from);
    return inOrder.flatMap((claim, i) => {
      const before = inOrder[i - 1];
      if (before === undefined || claim.from >= before.until) return [];
      return [`${task} was given to ${claim.owner} while ${before.owner} had it.`];
    });
  });
}

function faultsOf({ id, status, outputs }: FinalTask, moves: readonly SeenMove[]): string[] {
  if (status !== "COMPLETED") return [`${id} is ${status} at the end.`];
  if (outputs.length !== 1) return [`${id} moved ${outputs.length} times: ${JSON.stringify(outputs)}.`];
  const told = [...new Set(moves.map(({ output }) => output))];
  if (told.length === 0) return [`${id} is done, and nobody was told so.`];
  return told
    .filter((output) => output !== outputs[0])
    .map((output) => `${id}: the result ${JSON.stringify(output)} was confirmed, and is lost.`);
}
