// One question, one lead, four searchers at the same time, a judge for each finding, a writer at the end. All of them
// but the writer share one budget; it is too small on purpose, so a person is asked to top it up.
module.exports = {
  about: "Research with nested agents: split, search side by side, judge, write; one budget for all of them.",

  async play({ client, project, model, newId, worker, watch, show }) {
    await worker();
    const question = "Is a heat pump the right heating for an old brick house?";
    const lead = await client.startAgent({
      id: newId("research"),
      agent: project.agents.lead,
      context: { question },
      model,
      budget: { tokens: 20_000 },
    });
    const found = await watch(lead, (review) => ({ choice: review.choices[0], by: "anna", value: { tokens: 60_000 } }));
    show("the writer gets the lead's result as it is: a chain");
    const writer = await client.startAgent({
      id: newId("write"),
      agent: project.agents.writer,
      context: found,
      model,
      strict_chain: true,
    });
    const written = await watch(writer);
    const { usage, child_steps } = found;
    return {
      effects: {
        searches: child_steps.filter(({ name }) => name === "searcher").length,
        judgements: child_steps.filter(({ name }) => name === "judge").length,
        "findings kept": found.return?.findings.length ?? 0,
        sources: written.return?.sources.length ?? 0,
      },
      facts: { compression: usage?.compression ?? null },
    };
  },
};
