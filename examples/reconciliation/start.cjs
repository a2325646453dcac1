// Three nights. In the first one everything works. Then the worker is down for two nights, and comes back. At the end
// the same nights are started once more, by hand, and nothing happens.
const { scheduledRunId } = require("navigator-agents");

const LIMIT = 1000;

module.exports = {
  about: "Nightly reconciliation on a Temporal Schedule: missed nights are caught up, nothing is booked twice.",

  async play({ client, project, model, newId, worker, watch, atEnd, show }) {
    const books = await require("./books.cjs").startBooks();
    atEnd(books.close);
    const id = newId("reconcile");
    // A deploy has to do only this. A second call updates the schedule.
    const nightly = await client.scheduleAgent({
      id,
      cron: "0 2 * * *",
      timezone: "UTC",
      once_per: "day",
      overlap: "wait_for_all",
      agent: project.agents.reconcile,
      context: { limit: LIMIT },
      model,
    });
    atEnd(() => nightly.delete());
    // The nights are in the past, so that nobody has to wait. The server starts the runs that were due then. It has forgotten
    // what ran so long ago, so somebody must confirm that these never ran.
    const due = (first, last, never_ran) =>
      client.backfillSchedule(id, {
        from: new Date(`2026-03-${first}T00:00:00Z`),
        to: new Date(`2026-03-${last}T12:00:00Z`),
        never_ran,
      });
    const run = (day) => client.agent(scheduledRunId(id, new Date(`2026-03-${day}T02:00:00Z`), "day"));
    const started = async (day) => {
      while (!(await client.has(run(day).workflow.workflowId)))
        await new Promise((resolve) => setTimeout(resolve, 100));
    };
    const decide = () => ({ choice: "leave", by: "carla", note: "the customer pays in two parts" });
    const first = await worker({ BOOKS_URL: books.url });
    await due("01", "01", true);
    await started("01");
    await watch(run("01"), decide);

    await first.stop();
    show("the worker is down for two nights; the server still starts the runs that are due");
    await due("02", "03", true);
    await worker({ BOOKS_URL: books.url });
    for (const day of ["02", "03"]) {
      await started(day);
      await watch(run(day), decide);
    }

    show("the three nights are started once more");
    const before = books.requests.length;
    const { found, new: begun } = await due("01", "03", false);
    const again = books.requests.length - before;
    show(`... ${found.length} are found, ${begun.length} begin: the ledger was asked ${again} times`);
    return {
      effects: {
        "bookings of missing entries": books.bookings.filter(({ kind }) => kind === "missing").length,
        corrections: books.bookings.filter(({ kind }) => kind === "correction").length,
        "requests to book, in all": books.requests.length,
        "requests when started again": again,
      },
      facts: { ledger: books.ledger },
    };
  },
};
