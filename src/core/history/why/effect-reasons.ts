import type { Json, JsonObject } from "../../base/json";

/** Why an effect came about: the chain from the effect back to the people and the money (approvals reference, section 6). */
export interface EffectReasons {
  effect: {
    key: string;
    tool: string;
    state: string;
    args?: JsonObject;
    answer?: Json;
    /** ISO time. */
    at: string;
    /** The record around the call. */
    task?: string;
    /** The person who approved or refused it, or reported its outcome. */
    by?: string;
    message?: string;
  };
  /** The workflow id of the agent's run that asked for it. */
  run: string;
  /** The plan step or the node of a graph that the run worked for; null: the run is a separate mission. */
  work: { workflow_id: string; type: string; step: string } | null;
  turn: number;
  /** From 2 on: the run was woken by a decision. */
  invocation: number;
  /** null: no model wrote it. */
  model: string | null;
  /** null: see `missing`. */
  program: string | null;
  reviews: ReasonReview[];
  budget: {
    /** What the run and everything below it may use; null = no limit was set, or it is not known. */
    limit: JsonObject | null;
    /** What the model calls of the turn cost, US dollars. */
    turn_cost?: number;
  };
  /** What is not known, and why. */
  missing: string[];
}

/** A review of the call. */
export interface ReasonReview {
  id: string;
  title: string;
  votes: {
    by: string;
    /** In whose place: a delegate decided, or somebody who was given the decision. */
    for?: string;
    choice: string;
    at: string;
    verified: boolean;
    note?: string;
    value?: Json;
    /** The version of the people with which the vote was checked. */
    people_version?: string;
  }[];
}

/** The reasons of the effects that a review asked about. */
export const reasonsOfReview = (reasons: readonly EffectReasons[], review: string): EffectReasons[] =>
  reasons.filter(({ reviews }) => reviews.some(({ id }) => id === review));
