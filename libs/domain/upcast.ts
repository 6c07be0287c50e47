import { entryOf } from './catalogue.js';

export interface VersionedData {
  type: string;
  version: number;
  data: Record<string, unknown>;
}
/** By type: at index i the step from version i + 1 to version i + 2 of its data. */
export type Upcasters = Partial<
  Record<string, readonly ((data: Record<string, unknown>) => Record<string, unknown>)[]>
>;

/** Lifts data step by step; a type or version without a step stays as it is. */
export function createUpcast(upcasters: Upcasters): (event: VersionedData) => VersionedData {
  return (event) => {
    const steps = Object.hasOwn(upcasters, event.type) ? upcasters[event.type]! : [];
    if (event.version > steps.length) return event;
    let { data } = event;
    for (const step of steps.slice(event.version - 1)) data = step(data);
    return { type: event.type, version: steps.length + 1, data };
  };
}

const unchained = (data: Record<string, unknown>) => ({ ...data, chain: null });

/** The steps between the versions that were ever written. A type that gets a second version gets its first step here. */
export const upcasters: Upcasters = {
  ApprovalRequested: [unchained],
  RungApproved: [unchained],
  RungWithdrawn: [unchained],
};

/** To be given to whatever reads a log. */
export const upcast = createUpcast(upcasters);

/** Whether this code knows the type at this version, after upcasting. */
export function isKnownEvent({ type, version }: { type: string; version: number }): boolean {
  return entryOf(type)?.version === version;
}
