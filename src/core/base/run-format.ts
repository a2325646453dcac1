/**
 * The conventions of runs that start now: what their history holds and how they end. A change of them that a running
 * workflow could not replay gets a new number, and workflow code asks `formatOf` which one its run keeps.
 *
 * - 1: runs of earlier versions, whose inputs do not have the field.
 * - 2: a run that failed fails its workflow. A signalled decision replaces nil that no effect made.
 * - 3: the changes of an agent's journal ride on activities and on the result, instead of an event for each.
 * - 4: the token of a claim is a random text, instead of the next number.
 * - 5: signatures hold for inputs, too. An agent checks its context unless its definition says otherwise, and a call of a
 *   tool is made only if its arguments fit.
 * - 6: agents of tasks and plans go on when the run that started them continues as new.
 * - 7: a run has a ledger of effects, and the keys of its calls name the effect instead of the place.
 * - 8: reviews have a seal, and decisions are verified.
 * - 9: what waits for a person is published in the memo and in search attributes, for the inbox.
 * - 10: what was recorded, done, asked and decided is chained.
 * - 11: a mission tells in its memo what it used.
 * - 12: an agent of many tools is shown an index of them. Finished calls of an agent in text mode are in its journal, and
 *   the calls of one reply run side by side. The system prompt stays the same during a conversation: records that the
 *   Mission Log gets later are told in messages. A model's name with a colon is the worker's own, beside a registry, too.
 *   Fields that a tool with effects would not be given are refused, and its defaults count as left out.
 * - 13: a task begins its work after the messages that came before its run, also where its worker has it no longer in memory.
 * - 14: calls of a program that follow each other may be made in a stretch, by one activity.
 * - 15: a stretch may begin with the reply of the model, in the activity of the model call.
 * - 16: of a stretch or a batch whose worker was lost the run hears, with what was made, and has another one make the rest.
 * - 17: lists hear once a second of a task that is moved faster.
 */
export const RUN_FORMAT = 17;

/** A part of the input of every workflow that runs something. It stays the same through continue-as-new. */
export interface RunFormat {
  /** The conventions that the run keeps: `RUN_FORMAT` of the version that started it. */
  format?: number;
}
