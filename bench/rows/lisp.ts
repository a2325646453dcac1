import { LISP_PROGRAMS, type LispProgram } from "../lisp/programs";
import { type Ask, type LispSides, openPlain, openSides, SCI } from "../lisp/sides";
import { median, takeTurns } from "../measure";
import type { Row } from "../report";
import type { Comparison } from "./context";

const LISTED = "listed for the original";

/** The language: inside a workflow and outside, beside plain JavaScript and another Lisp. */
export const lisp: Comparison = {
  name: "lisp",
  about: "programs in PTC-Lisp inside a workflow and outside, in plain JavaScript, in another Lisp",
  missions: [],
  async run(context) {
    const sides = await openSides(context);
    try {
      const results: Result[] = [];
      for (const program of LISP_PROGRAMS) {
        context.progress(`  ${program.name} ...`);
        const rounds = context.quick ? 2 : 7;
        results.push({ ...(await measured(program, sides, rounds)), cold: await firstTime(program, rounds) });
      }
      return [...results.flatMap(programRows), ...rateRows(results)];
    } finally {
      await sides.close();
    }
  },
};

interface Result {
  program: LispProgram;
  steps: number;
  outside: number;
  inside: number;
  javascript: number;
  sci: number | null;
  /** The first evaluation of a process, when nothing of the interpreter is compiled yet. */
  cold: number;
}

async function firstTime(program: LispProgram, rounds: number): Promise<number> {
  const ms: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const fresh = openPlain();
    ms.push((await fresh.ask({ program: program.lisp, times: 1 })).ms[0] as number);
    fresh.stop();
  }
  return median(ms);
}

/** Medians over rounds in which every side has its turn. */
async function measured(program: LispProgram, sides: LispSides, rounds: number): Promise<Omit<Result, "cold">> {
  const { name, value, times } = program;
  let steps = 0;
  const turn = (ask: Ask, text: string) => async () => {
    const answer = await ask({ program: text, times });
    if (answer.value !== value) throw new Error(`${name} gave ${String(answer.value)} instead of ${value}`);
    steps = Math.max(steps, answer.steps);
    return median(answer.ms);
  };
  const none = async () => Number.NaN;
  const ms = await takeTurns(rounds, {
    outside: turn(sides.outside, program.lisp),
    inside: turn(sides.inside, program.lisp),
    javascript: turn(sides.javascript, program.javascript),
    sci: sides.sci === null ? none : turn(sides.sci, program.lisp),
  });
  return {
    program,
    steps,
    outside: median(ms.outside),
    inside: median(ms.inside),
    javascript: median(ms.javascript),
    sci: sides.sci === null ? null : median(ms.sci),
  };
}

function programRows({ program, outside, inside, javascript, sci, cold }: Result): Row[] {
  const short = program.times >= 1000;
  const value = (ms: number | null) => (ms === null ? null : short ? ms * 1000 : ms);
  const row = (what: string, ours: number, theirs: number | null, against: string): Row => ({
    what,
    unit: short ? "us" : "ms",
    ours: value(ours),
    theirs: value(theirs),
    against,
  });
  const listed = program.listed_ms;
  return [
    listed === undefined
      ? row(program.name, outside, null, "")
      : { ...row(program.name, outside, listed, LISTED), aim: { times: 1 } },
    ...(listed === undefined || short ? [] : [row("  first in a new process", cold, listed, LISTED)]),
    row("  inside a workflow", inside, outside, "outside"),
    row("  outside", outside, javascript, "plain JavaScript"),
    { ...row("  outside", outside, sci, SCI), ...(sci === null ? { note: `${SCI}: not installed` } : {}) },
  ];
}

/** Of the programs that take thousands of steps: the least that any of them is evaluated at. */
function rateRows(results: Result[]): Row[] {
  const long = results.filter(({ steps }) => steps > 1000);
  const rate = (side: "outside" | "inside") => Math.min(...long.map((result) => result.steps / result[side] / 1000));
  const total = (side: "outside" | "inside") => long.reduce((sum, result) => sum + result[side], 0);
  return [
    {
      what: "steps a second, slowest program",
      unit: "M/s",
      ours: rate("outside"),
      theirs: null,
      against: "outside",
      aim: { at_least: 5 },
    },
    {
      what: "  the same inside",
      unit: "M/s",
      ours: rate("inside"),
      theirs: null,
      against: "inside",
      aim: { at_least: 5 },
    },
    {
      what: "  time of all programs inside",
      unit: "ms",
      ours: total("inside"),
      theirs: total("outside"),
      against: "outside",
      aim: { times: 1.3 },
    },
  ];
}
