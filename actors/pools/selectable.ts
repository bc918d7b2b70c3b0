/** What selectors look at. */
export interface Selectable {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, number>>;
}

/** Why a recipient is out. */
export type Exclusion =
  | "paused"
  | "draining"
  | "offline"
  | "ejected"
  | "weight_zero"
  | "no_capacity"
  | "labels"
  | "skills"
  | "not_selected"
  | "not_preferred";
