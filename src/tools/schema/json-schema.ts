import type { Json, JsonObject } from "../../core/base/json";

/** A JSON Schema as an object. Written in code it also gives types: see FromJsonSchema. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * The type of the values that a JSON Schema allows, as far as types can express it: objects, lists, tuples, `enum`,
 * `const`, `anyOf`, `oneOf` and `allOf`. The target of a `$ref` is JSON. A property with a `default` is always there.
 */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer One)[] }
      ? FromJsonSchema<One>
      : S extends { readonly oneOf: readonly (infer One)[] }
        ? FromJsonSchema<One>
        : S extends { readonly allOf: infer All extends readonly unknown[] }
          ? Typed<S> & AllOf<All>
          : Typed<S>;

type AllOf<All extends readonly unknown[]> = All extends readonly [infer First, ...infer Rest]
  ? FromJsonSchema<First> & AllOf<Rest>
  : unknown;

type Typed<S> = S extends { readonly type: readonly (infer Name)[] }
  ? Name extends string
    ? Named<Name, S>
    : never
  : S extends { readonly type: infer Name }
    ? Named<Name, S>
    : S extends { readonly properties: object }
      ? ObjectOf<S>
      : S extends { readonly allOf: unknown }
        ? unknown
        : Json;

type Named<Name, S> = Name extends "string"
  ? string
  : Name extends "integer" | "number"
    ? number
    : Name extends "boolean"
      ? boolean
      : Name extends "null"
        ? null
        : Name extends "array"
          ? ListOf<S>
          : Name extends "object"
            ? ObjectOf<S>
            : Json;

type ListOf<S> = S extends { readonly prefixItems: infer Items extends readonly unknown[] }
  ? { -readonly [I in keyof Items]: FromJsonSchema<Items[I]> }
  : S extends { readonly items: infer Item }
    ? FromJsonSchema<Item>[]
    : Json[];

type ObjectOf<S> = S extends { readonly properties: infer P }
  ? Flat<
      { -readonly [K in keyof P as K extends Present<S, P> ? K : never]: FromJsonSchema<P[K]> } & {
        -readonly [K in keyof P as K extends Present<S, P> ? never : K]?: FromJsonSchema<P[K]>;
      }
    >
  : S extends { readonly additionalProperties: infer Value extends object }
    ? { [name: string]: FromJsonSchema<Value> }
    : JsonObject;

type Flat<T> = { [K in keyof T]: T[K] };

/** The properties that every value has. */
type Present<S, P> =
  | (S extends { readonly required: readonly (infer Name)[] } ? Name : never)
  | { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P];
