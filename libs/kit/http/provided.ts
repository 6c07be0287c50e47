/** The parts that the composition root (service.ts) gives to controllers, guards and pipes. */
import type { FactoryProvider, InjectionToken } from '@nestjs/common';

/** Tokens of what is no class; everything else stands under its class. */
export const CONFIGURATION = Symbol('configuration');
/** The event log, as a store that decides. */
export const STORE = Symbol('event store');
export const SCORING = Symbol('scoring');
export const METRICS = Symbol('metrics');
export const LOGGER = Symbol('logger');
/** `() => Date` */
export const CLOCK = Symbol('clock');
export const ABOUT = Symbol('about');
/** `OperatorReplicas`, where others answer operators and there is a Redis. */
export const OPERATOR_REPLICAS = Symbol('operator replicas');

export interface About {
  version: string;
  /** Compute engine that serves and why; health shows the whole record. */
  engine: { engine: string; reason: string };
}

/**
 * Providers of the one module that serves.
 * @param instances each stands under its class
 * @param named values under tokens that are not their class; undefined where a replica lacks what others have
 */
export const providersOf = (
  instances: readonly object[],
  named: readonly (readonly [InjectionToken, unknown])[],
): FactoryProvider[] =>
  [...instances.map((one) => [one.constructor as InjectionToken, one] as const), ...named].map(([provide, value]) => ({
    provide,
    useFactory: () => value,
  }));
