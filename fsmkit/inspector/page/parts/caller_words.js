/** Who has sent an event, or called for a change, in words. */

/**
 * @param {{call?: string, how?: string, sender?: string}} by
 * @returns {string} "posted from Wolf: Hunt.actions[0] (Bark)"; "posted" if there is only a line
 */
export function callerText({ call = "", how = "", sender = "" }) {
  return [call, how, sender && `from ${sender}`].filter(Boolean).join(" ");
}

/** By which transition an event has changed the state: that it is a global one, guard, effect. */
export function wayText({ global: isGlobal = false, guard = "", effect = "" }) {
  const parts = [isGlobal && "by a global transition", guard && `[${guard}]`, effect && `/ ${effect}`];
  return parts.filter(Boolean).join(" ");
}
