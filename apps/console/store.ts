/** A value that lives outside of the tree of components, as who is signed in. */
import { useSyncExternalStore } from 'react';

export class Store<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  get = (): T => this.value;

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of this.listeners) listener();
  }

  private readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** The value, in a component that is drawn again when it changes. */
  use(): T {
    // biome-ignore lint/correctness/useHookAtTopLevel: this is a hook itself
    return useSyncExternalStore(this.subscribe, this.get);
  }
}
