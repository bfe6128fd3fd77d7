"""Forms of log-in, preferences, people and roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm

from workbench.access.models import ROLE_CHOICES, Team, User

if TYPE_CHECKING:  # generic for the type checker only
    _UserForm = forms.ModelForm[User]
    _TeamForm = forms.ModelForm[Team]
else:
    _UserForm = _TeamForm = forms.ModelForm


class LoginForm(AuthenticationForm):
    """Log-in. One message for a wrong name and a wrong password."""

    error_messages = {
        "invalid_login": "That name and password do not belong together. Both are case-sensitive.",
        "inactive": "This account has been closed.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "Name"


class PasswordForm(PasswordChangeForm):
    """A new password, against the old one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["old_password"].widget.attrs.pop("autofocus", None)
        for name, label in (
            ("old_password", "Present password"),
            ("new_password1", "New password"),
            ("new_password2", "New password again"),
        ):
            self.fields[name].label = label
        self.fields[
            "new_password1"
        ].help_text = "At least 10 characters; not a common one, not like your name."
        self.fields["new_password2"].help_text = ""


def zone_choices() -> list[Any]:
    """Return every time zone, grouped by the part before the first slash; first, the installation's own."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name in sorted(available_timezones()):
        region, _, rest = name.partition("/")
        if rest and region not in ("Etc", "posix", "right", "SystemV"):
            groups.setdefault(region, []).append(
                (name, rest.replace("_", " ").replace("/", ", "))
            )
    own = f"that of this installation ({settings.TIME_ZONE})"
    return [("", own), ("UTC", "UTC"), *sorted(groups.items())]


class PreferencesForm(_UserForm):
    """Theme, keys and time zone."""

    time_zone = forms.ChoiceField(
        required=False,
        choices=zone_choices,
        help_text="In which times are shown to you. They are kept in UTC.",
    )

    class Meta:
        model = User
        fields = ("theme", "single_keys", "time_zone")
        help_texts = {
            "single_keys": "Such as j, k and o in lists. Switch them off if your screen reader or input method needs them."
        }


class RoleForm(forms.Form):
    """A role for somebody who has an account."""

    person = forms.CharField(
        label="Name",
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "list": "known-people"}),
    )
    role = forms.ChoiceField(choices=ROLE_CHOICES)

    def clean_person(self) -> User:
        name = self.cleaned_data["person"].strip()
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError(
                f"There is no account {name!r}. Names are case-sensitive."
            )
        return user


class AccountForm(_UserForm):
    """A new account with its first role."""

    full_name = forms.CharField(max_length=150, required=False)
    role = forms.ChoiceField(choices=ROLE_CHOICES)

    class Meta:
        model = User
        fields = ("username", "email")
        labels = {"username": "Name"}
        help_texts = {"username": "Letters, digits and @ . + - _, as used to log in."}

    field_order = ("username", "full_name", "email", "role")


class TeamForm(_TeamForm):
    """A new team."""

    class Meta:
        model = Team
        fields = ("name", "slug")
        labels = {"slug": "Short name"}
        help_texts = {
            "slug": "Lower-case letters, digits and dashes; it stays in addresses and commands."
        }
