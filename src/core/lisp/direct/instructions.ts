import { Op } from "../compile/code";

/** How the instructions lie in the code: `translate.ts` has to find each, and where jumps go. */

/** Operands of each instruction. */
export const OPERANDS: Record<number, number> = {
  [Op.CONST]: 1,
  [Op.LOCAL]: 1,
  [Op.SET_LOCAL]: 1,
  [Op.CAPTURED]: 1,
  [Op.GLOBAL]: 1,
  [Op.GLOBAL_OR_NIL]: 1,
  [Op.JUMP]: 1,
  [Op.JUMP_IF_FALSE]: 1,
  [Op.JUMP_IF_TRUE]: 1,
  [Op.JUMP_KEEP_FALSE]: 1,
  [Op.JUMP_KEEP_TRUE]: 1,
  [Op.CALL]: 1,
  [Op.CLOSURE]: 1,
  [Op.VECTOR]: 1,
  [Op.MAP]: 1,
  [Op.SET]: 1,
  [Op.DEF]: 2,
  [Op.IS_DEFINED]: 1,
  [Op.VAR]: 1,
  [Op.LOOP_START]: 1,
  [Op.RECUR]: 5,
  [Op.RECUR_FN]: 1,
  [Op.NTH]: 1,
  [Op.REST]: 1,
  [Op.LOOKUP]: 1,
  [Op.LOOKUP_OR]: 2,
  [Op.ITERATE]: 3,
  [Op.APPEND]: 1,
  [Op.TOOL]: 2,
  [Op.TOOL_TRY]: 2,
  [Op.TASK]: 1,
  [Op.PCALLS]: 1,
  [Op.DATA]: 1,
  [Op.HISTORY]: 1,
  [Op.NATIVE]: 3,
  [Op.LOOKUP_OR_ELSE]: 2,
};

/** Which operand is the target of a jump. */
export const TARGET: Record<number, number> = {
  [Op.JUMP]: 1,
  [Op.JUMP_IF_FALSE]: 1,
  [Op.JUMP_IF_TRUE]: 1,
  [Op.JUMP_KEEP_FALSE]: 1,
  [Op.JUMP_KEEP_TRUE]: 1,
  [Op.RECUR]: 4,
  [Op.ITERATE]: 3,
  [Op.TASK]: 1,
  [Op.LOOKUP_OR_ELSE]: 2,
};
