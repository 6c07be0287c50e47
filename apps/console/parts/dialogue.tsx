/** A dialogue over the page. Closed, it gives the focus back to the control that opened it: so it is closed, not taken away. */
import { Group, Modal } from '@mantine/core';
import type { ReactNode } from 'react';

interface DialogueProps {
  title: string;
  opened: boolean;
  close: () => void;
  /** Only a button within closes it. */
  stays?: boolean;
  children: ReactNode;
}

export const Dialogue = ({ title, opened, close, stays = false, children }: DialogueProps) => (
  <Modal.Root opened={opened} onClose={close} closeOnEscape={!stays} closeOnClickOutside={!stays}>
    <Modal.Overlay />
    <Modal.Content>
      {/* The library's own is one more banner of the page. */}
      <Group justify="space-between" p="md" wrap="nowrap">
        <Modal.Title className="long">{title}</Modal.Title>
        {!stays && <Modal.CloseButton aria-label="close" />}
      </Group>
      <Modal.Body>{children}</Modal.Body>
    </Modal.Content>
  </Modal.Root>
);
