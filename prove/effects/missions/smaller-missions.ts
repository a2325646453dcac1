import { shorterLists, smallerNumbers } from "../../frame/shrink";
import {
  type EffectCall,
  type EffectMission,
  type GraphShape,
  type MissionStage,
  mapCalls,
  type PlanShape,
  type Script,
  type ScriptForm,
  type Work,
} from "./mission";

/** Missions with less in them: stages, effects, scripts and forms left out, or plainer scripts. */
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
  const { effects, scripts } = stage;
  for (const fewer of shorterLists(scripts.slice(0, -1)))
    yield { effects, scripts: [...fewer, scripts.at(-1) as Script] };
  for (const [effect, { times }] of effects.entries()) {
    if (effects.length > 1) yield withoutEffect(stage, effect);
    for (const fewer of smallerNumbers(times, 1))
      yield {
        effects: effects.with(effect, { ...(effects[effect] as MissionStage["effects"][number]), times: fewer }),
        scripts: scripts.map((script) => onlyCalls(script, (call) => call.effect !== effect || call.nth <= fewer)),
      };
  }
  for (const [at, script] of scripts.entries())
    for (const smaller of smallerScripts(script)) yield { effects, scripts: scripts.with(at, smaller) };
}

function withoutEffect({ effects, scripts }: MissionStage, effect: number): MissionStage {
  const renumbered = (script: Script) =>
    mapCalls(script, (call) => ({ ...call, effect: call.effect > effect ? call.effect - 1 : call.effect }));
  return {
    effects: effects.toSpliced(effect, 1),
    scripts: scripts.map((script) => renumbered(onlyCalls(script, (call) => call.effect !== effect))),
  };
}

function* smallerScripts(script: Script): Generator<Script> {
  const { forms, end } = script;
  const fails = end.kind !== "succeeds";
  // A program that succeeds requests everything: nothing may be left out of it.
  if (fails) for (const fewer of shorterLists(forms)) yield { forms: fewer, end };
  for (const [at, form] of forms.entries())
    for (const smaller of smallerForms(form, fails)) yield { forms: forms.toSpliced(at, 1, ...smaller), end };
  if (end.kind === "returns_wrong" || (end.kind === "fails" && end.after < forms.length))
    yield { forms, end: { kind: "fails", after: forms.length } };
}

/** Plainer forms for the same calls. */
function* smallerForms(form: ScriptForm, mayOmit: boolean): Generator<ScriptForm[]> {
  if (form.kind === "agents") {
    yield [
      {
        kind: "plain",
        calls: form.works.flatMap(({ scripts }) => (scripts.at(-1) as Script).forms.flatMap(allCalls)),
      },
    ];
    if (form.parallel) yield [{ ...form, parallel: false }];
    for (const [at, work] of form.works.entries()) {
      for (const fewer of shorterLists(work.scripts.slice(0, -1)))
        yield [{ ...form, works: form.works.with(at, { scripts: [...fewer, work.scripts.at(-1) as Script] }) }];
      for (const [number, script] of work.scripts.entries())
        for (const smaller of smallerScripts(script))
          yield [{ ...form, works: form.works.with(at, { scripts: work.scripts.with(number, smaller) }) }];
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

type CallsForm = Exclude<ScriptForm, { kind: "agents" }>;

const replaced = (form: CallsForm, at: number, call: EffectCall): ScriptForm => ({
  ...form,
  calls: form.calls.with(at, call),
});

function withCalls(form: CallsForm, keeps: (call: EffectCall) => boolean): CallsForm {
  if (form.kind !== "parallel" || form.tasks === undefined) return { ...form, calls: form.calls.filter(keeps) };
  const { calls, tasks } = form;
  return { ...form, calls: calls.filter(keeps), tasks: tasks.filter((_, at) => keeps(calls[at] as EffectCall)) };
}

const allCalls = (form: ScriptForm): EffectCall[] =>
  form.kind === "agents"
    ? form.works.flatMap(({ scripts }) => (scripts.at(-1) as Script).forms.flatMap(allCalls))
    : form.calls;

function onlyCalls({ forms, end }: Script, keeps: (call: EffectCall) => boolean): Script {
  const left = forms.flatMap((form): ScriptForm[] => {
    if (form.kind !== "agents") {
      const fewer = withCalls(form, keeps);
      return fewer.calls.length === 0 ? [] : [fewer];
    }
    const works = form.works
      .map(({ scripts }): Work => ({ scripts: scripts.map((script) => onlyCalls(script, keeps)) }))
      .filter(({ scripts }) => (scripts.at(-1) as Script).forms.length > 0);
    return works.length === 0 ? [] : [{ ...form, works }];
  });
  return { forms: left, end: end.kind === "fails" ? { ...end, after: Math.min(end.after, left.length) } : end };
}
