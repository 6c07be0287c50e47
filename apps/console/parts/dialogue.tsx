/** A dialogue over the page: the browser's own, which keeps the focus and gives it back to the control that opened it. */
import { CloseButton, Group, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

interface DialogueProps {
  title: string;
  opened: boolean;
  close: () => void;
  /** Only a button within closes it. */
  stays?: boolean;
  children: ReactNode;
}

export function Dialogue({ title, opened, close, stays = false, children }: DialogueProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!opened) return dialog.current?.close();
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
  }, [opened]);
  const leave = () => {
    if (!stays) close();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key, and the browser's
    <dialog
      ref={dialog}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
      // Browsers close it at a second Escape, whatever came of the first.
      onClose={() => opened && (stays ? dialog.current?.showModal() : close())}
      onClick={({ target }) => target === dialog.current && leave()}
    >
      {opened && (
        <div className="dialogue">
          <Group justify="space-between" mb="md" wrap="nowrap">
            <Title order={2} size="h4" className="long">
              {title}
            </Title>
            {!stays && <CloseButton aria-label="close" onClick={close} />}
          </Group>
          {children}
        </div>
      )}
    </dialog>
  );
}
