// Passkeys (WebAuthn): ask the hall what to make or to sign, ask the browser, and send the form with the answer.
// Without this file, or where a browser has no passkeys, the forms use a password.
(() => {
  const toBytes = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), letter => letter.charCodeAt(0));
  const toText = bytes => btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

  // The options and answers of the hall are JSON; those of the browser have bytes in the place of base64url.
  const parsed = options => ({
    ...options,
    challenge: toBytes(options.challenge),
    ...(options.user && { user: { ...options.user, id: toBytes(options.user.id) } }),
    ...(options.excludeCredentials && { excludeCredentials: options.excludeCredentials.map(each => ({ ...each, id: toBytes(each.id) })) }),
    ...(options.allowCredentials && { allowCredentials: options.allowCredentials.map(each => ({ ...each, id: toBytes(each.id) })) }),
  });
  const written = ({ id, rawId, type, response, authenticatorAttachment }) => ({
    id,
    rawId: toText(rawId),
    type,
    authenticatorAttachment: authenticatorAttachment ?? undefined,
    clientExtensionResults: {},
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      ...(response.attestationObject && { attestationObject: toText(response.attestationObject), transports: response.getTransports?.() ?? [] }),
      ...(response.authenticatorData && { authenticatorData: toText(response.authenticatorData), signature: toText(response.signature) }),
      ...(response.userHandle && { userHandle: toText(response.userHandle) }),
    },
  });

  async function answer(part) {
    const form = part.closest("form");
    const asked = await fetch(part.dataset.options, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams({ name: form.elements.name?.value ?? "" }),
    });
    const options = await asked.json();
    if (!asked.ok) throw new Error(options.reason, { cause: "hall" });
    const publicKey = parsed(options);
    const credential = await (part.dataset.passkey === "create" ? navigator.credentials.create({ publicKey }) : navigator.credentials.get({ publicKey }));
    form.elements.credential.value = JSON.stringify(written(credential));
    form.submit();
  }

  const isPossible = window.isSecureContext && !!window.PublicKeyCredential;
  for (const part of isPossible ? document.querySelectorAll("[data-passkey]") : []) {
    const button = part.querySelector("button"), words = part.querySelector("[role=alert]");
    part.hidden = false;
    for (const each of part.closest("form").querySelectorAll("[data-with-passkey]")) each.hidden = false;
    button.addEventListener("click", async () => {
      words.hidden = button.disabled = true;
      button.classList.add("pending");
      try {
        await answer(part);
      } catch (error) {
        words.textContent = error.cause === "hall" ? error.message : part.dataset.failed;
        words.hidden = button.disabled = false;
      }
      button.classList.remove("pending");
      if (!words.hidden) button.disabled = false;
    });
  }
})();
