/** An event with its place in the log, as any reader gives it. */
export interface LoggedEvent {
  stream: string;
  revision: bigint;
  position: bigint;
  type: string;
  version: number;
  data: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  /** As it is stored, where the reader upcasted it to a newer version. */
  stored?: { version: number; data: Record<string, unknown> };
}
