import { shorterLists, smallerNumbers } from "../../frame/shrink";
import {
  type DeedCall,
  type EffectMission,
  type GraphShape,
  type MissionStage,
  mapCalls,
  type PlanShape,
  type Telling,
  type ToldForm,
  type Work,
} from "./mission";

/** Missions with less in them: stages, deeds, tellings and forms left out, or told more plainly. */
export function* smallerMissions(mission: EffectMission): Generator<EffectMission> {
  const { stages, plan, graph, partner } = mission;
  if (partner !== undefined) for (const smaller of smallerMissions(partner)) yield { ...mission, partner: smaller };
  if (plan === undefined && graph === undefined)
    for (const fewer of shorterLists(stages)) if (fewer.length > 0) yield { ...mission, stages: fewer };
  if (plan !== undefined) for (const smaller of smallerPlans(stages, plan)) yield smaller;
  if (graph !== undefined) for (const smaller of smallerGraphs(stages, graph)) yield smaller;
  for (const [at, stage] of stages.entries())
    for (const smaller of smallerStages(stage)) yield { ...mission, stages: stages.with(at, smaller) };
}

function* smallerPlans(stages: MissionStage[], plan: PlanShape): Generator<EffectMission> {
  const { on_failure, keeps } = plan;
  for (const [at] of stages.entries())
    if (stages.length > 1)
      yield { stages: stages.toSpliced(at, 1), plan: { ...plan, on_failure: on_failure.toSpliced(at, 1) } };
  if (plan.parallel) yield { stages, plan: { ...plan, parallel: false } };
  for (const [at, keep] of keeps.entries()) if (!keep) yield { stages, plan: { ...plan, keeps: keeps.with(at, true) } };
  for (const [at, what] of on_failure.entries())
    if (what === "replan") yield { stages, plan: { ...plan, on_failure: on_failure.with(at, "retry") } };
}

function* smallerGraphs(stages: MissionStage[], { sends_back }: GraphShape): Generator<EffectMission> {
  const without = (at: number) => (to: number) => (to > at ? [to - 1] : to === at ? [] : [to]);
  for (const at of stages.keys())
    if (stages.length > 1)
      yield {
        stages: stages.toSpliced(at, 1),
        graph: { sends_back: sends_back.toSpliced(at, 1).map((list) => list.flatMap(without(at))) },
      };
  for (const [gate, list] of sends_back.entries())
    for (const fewer of shorterLists(list)) yield { stages, graph: { sends_back: sends_back.with(gate, fewer) } };
}

function* smallerStages(stage: MissionStage): Generator<MissionStage> {
  const { deeds, tellings } = stage;
  for (const fewer of shorterLists(tellings.slice(0, -1)))
    yield { deeds, tellings: [...fewer, tellings.at(-1) as Telling] };
  for (const [deed, { times }] of deeds.entries()) {
    if (deeds.length > 1) yield withoutDeed(stage, deed);
    for (const fewer of smallerNumbers(times, 1))
      yield {
        deeds: deeds.with(deed, { ...(deeds[deed] as MissionStage["deeds"][number]), times: fewer }),
        tellings: tellings.map((telling) => onlyCalls(telling, (call) => call.deed !== deed || call.nth <= fewer)),
      };
  }
  for (const [at, telling] of tellings.entries())
    for (const smaller of smallerTellings(telling)) yield { deeds, tellings: tellings.with(at, smaller) };
}

function withoutDeed({ deeds, tellings }: MissionStage, deed: number): MissionStage {
  const renumbered = (telling: Telling) =>
    mapCalls(telling, (call) => ({ ...call, deed: call.deed > deed ? call.deed - 1 : call.deed }));
  return {
    deeds: deeds.toSpliced(deed, 1),
    tellings: tellings.map((telling) => renumbered(onlyCalls(telling, (call) => call.deed !== deed))),
  };
}

function* smallerTellings(telling: Telling): Generator<Telling> {
  const { forms, end } = telling;
  const fails = end.kind !== "succeeds";
  // A program that succeeds tells everything: nothing may be left out of it.
  if (fails) for (const fewer of shorterLists(forms)) yield { forms: fewer, end };
  for (const [at, form] of forms.entries())
    for (const smaller of smallerForms(form, fails)) yield { forms: forms.toSpliced(at, 1, ...smaller), end };
  if (end.kind === "returns_wrong" || (end.kind === "fails" && end.after < forms.length))
    yield { forms, end: { kind: "fails", after: forms.length } };
}

/** The form told by others that are plainer. */
function* smallerForms(form: ToldForm, mayOmit: boolean): Generator<ToldForm[]> {
  if (form.kind === "agents") {
    yield [
      {
        kind: "plain",
        calls: form.works.flatMap(({ tellings }) => (tellings.at(-1) as Telling).forms.flatMap(allCalls)),
      },
    ];
    if (form.parallel) yield [{ ...form, parallel: false }];
    for (const [at, work] of form.works.entries()) {
      for (const fewer of shorterLists(work.tellings.slice(0, -1)))
        yield [{ ...form, works: form.works.with(at, { tellings: [...fewer, work.tellings.at(-1) as Telling] }) }];
      for (const [number, telling] of work.tellings.entries())
        for (const smaller of smallerTellings(telling))
          yield [{ ...form, works: form.works.with(at, { tellings: work.tellings.with(number, smaller) }) }];
    }
    return;
  }
  const { calls } = form;
  if (mayOmit) for (const fewer of shorterLists(calls)) yield [withCalls(form, (call) => fewer.includes(call))];
  if (form.kind !== "plain") yield [{ kind: "plain", calls }];
  if (form.kind === "parallel" && form.tasks) yield [{ kind: "parallel", calls }];
  for (const [at, { fault, caught, words, ...call }] of calls.entries()) {
    if (fault !== undefined) yield [replaced(form, at, { ...call, words, ...(caught && { caught }) })];
    if (caught) yield [replaced(form, at, { ...call, words, ...(fault && { fault }) })];
    if (words !== "")
      yield [replaced(form, at, { ...call, words: "", ...(fault && { fault }), ...(caught && { caught }) })];
  }
}

type CallsForm = Exclude<ToldForm, { kind: "agents" }>;

const replaced = (form: CallsForm, at: number, call: DeedCall): ToldForm => ({
  ...form,
  calls: form.calls.with(at, call),
});

function withCalls(form: CallsForm, keeps: (call: DeedCall) => boolean): CallsForm {
  if (form.kind !== "parallel" || form.tasks === undefined) return { ...form, calls: form.calls.filter(keeps) };
  const { calls, tasks } = form;
  return { ...form, calls: calls.filter(keeps), tasks: tasks.filter((_, at) => keeps(calls[at] as DeedCall)) };
}

const allCalls = (form: ToldForm): DeedCall[] =>
  form.kind === "agents"
    ? form.works.flatMap(({ tellings }) => (tellings.at(-1) as Telling).forms.flatMap(allCalls))
    : form.calls;

function onlyCalls({ forms, end }: Telling, keeps: (call: DeedCall) => boolean): Telling {
  const left = forms.flatMap((form): ToldForm[] => {
    if (form.kind !== "agents") {
      const fewer = withCalls(form, keeps);
      return fewer.calls.length === 0 ? [] : [fewer];
    }
    const works = form.works
      .map(({ tellings }): Work => ({ tellings: tellings.map((telling) => onlyCalls(telling, keeps)) }))
      .filter(({ tellings }) => (tellings.at(-1) as Telling).forms.length > 0);
    return works.length === 0 ? [] : [{ ...form, works }];
  });
  return { forms: left, end: end.kind === "fails" ? { ...end, after: Math.min(end.after, left.length) } : end };
}
