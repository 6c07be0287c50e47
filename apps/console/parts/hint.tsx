/** Words with an explanation on hover, focus and touch. */
import { type ReactNode, useId, useRef } from 'react';

/** Between the words and their explanation, and between that and the edge of the window. */
const GAP_PIXELS = 6;

interface HintProps {
  text: string | undefined;
  children: ReactNode;
}

export function Hint({ text, children }: HintProps) {
  const id = useId();
  const words = useRef<HTMLSpanElement>(null);
  const said = useRef<HTMLSpanElement>(null);
  if (!text) return <>{children}</>;
  const show = () => {
    if (!words.current || !said.current) return;
    said.current.showPopover();
    const { left, top, bottom } = words.current.getBoundingClientRect();
    const { width, height } = said.current.getBoundingClientRect();
    const above = top - height - GAP_PIXELS;
    const { style } = said.current;
    style.left = `${Math.max(GAP_PIXELS, Math.min(left, innerWidth - width - GAP_PIXELS))}px`;
    style.top = `${above < GAP_PIXELS ? bottom + GAP_PIXELS : above}px`;
  };
  const hide = () => said.current?.hidePopover();
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it does nothing but show its explanation */}
      <span
        ref={words}
        className="hint"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the explanation is there for the keyboard too
        tabIndex={0}
        aria-describedby={id}
        onPointerEnter={show}
        onPointerLeave={hide}
        onFocus={show}
        onBlur={hide}
        onKeyDown={({ key }) => key === 'Escape' && hide()}
      >
        {children}
      </span>
      <span ref={said} id={id} role="tooltip" popover="manual" className="hint-text">
        {text}
      </span>
    </>
  );
}
