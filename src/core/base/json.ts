import { z } from "zod";

/** Any JSON value: what crosses every boundary (workflow inputs, journal entries, tool arguments, files). */
export const Json = z.json();
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A JSON object. */
export type JsonObject = { [key: string]: Json };
