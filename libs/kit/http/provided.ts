/** The parts that the composition root (service.ts) gives to the modules, and a module's way to take those that it uses. */
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

export class Provided {
  private readonly values: Map<InjectionToken, unknown>;

  /** @param named values under tokens that are not their class */
  constructor(instances: readonly object[], named: readonly (readonly [InjectionToken, unknown])[]) {
    this.values = new Map([...instances.map((one) => [one.constructor, one] as const), ...named]);
  }

  get(token: InjectionToken): unknown {
    if (!this.values.has(token)) throw new TypeError(`the composition root provides no ${nameOf(token)}`);
    return this.values.get(token);
  }
}

const nameOf = (token: InjectionToken) => (typeof token === 'function' ? token.name : String(token));

/** Providers of a module: these of all that the composition root has, and no others. */
export const uses = (...tokens: InjectionToken[]): FactoryProvider[] =>
  tokens.map((token) => ({
    provide: token,
    inject: [Provided],
    useFactory: (provided: Provided) => provided.get(token),
  }));
