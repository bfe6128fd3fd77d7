"""The word lists of the screen. Allowed is what is listed; everything else of its kind is refused or reported."""

from __future__ import annotations

from workbench.lean.lexer import words

# Attributes that make compiled code differ from what the kernel sees, or run code when a module is loaded.
RUNTIME_ATTRIBUTES = words(
    """implemented_by extern csimp export init builtin_init computed_field never_extract cpp_inline llvm"""
)
RUNTIME_COMMANDS = frozenset(("initialize", "builtin_initialize"))

# Attributes that only tell tactics and the elaborator how to use a declaration. A statement that they change is found by comparison.
ALLOWED_ATTRIBUTES = words(
    """simp ext refl symm trans congr inline always_inline noinline macro_inline specialize nospecialize reducible semireducible
    irreducible instance default_instance elab_as_elim elab_without_expected_type match_pattern local scoped grind norm_cast push_cast
    coe inherit_doc deprecated nolint induction_eliminator cases_eliminator mono gcongr fun_prop aesop simps to_additive pp_nodot
    unbox expose no_expose csimp_lemma seqLeft bitvec_to_nat grind_pattern wf_preprocess spec mspec"""
)

# Options that change how much is tried or what is linted, and nothing about what is accepted.
ALLOWED_OPTIONS = (
    "maxHeartbeats",
    "maxRecDepth",
    "autoImplicit",
    "relaxedAutoImplicit",
    "synthInstance.maxHeartbeats",
    "synthInstance.maxSize",
    "linter.",
    "pp.",
    "exponentiation.threshold",
    "tactic.",
    "trace.",
    "smartUnfolding",
    "structureDiamondWarning",
    "warn.",
    "grind.",
    "simp.",
    "backward.",
    "showPartialSyntaxErrors",
)

# Commands that declare syntax or code for the elaborator, or new attributes and options.
DECLARING_COMMANDS = words(
    """macro macro_rules syntax notation infix infixl infixr prefix postfix elab elab_rules declare_syntax_cat
    declare_config_elab declare_simp_like_tactic register_option register_simp_attr register_builtin_option simproc
    builtin_simproc simproc_decl dsimproc unif_hint binder_predicate add_decl_doc
    initialize_simps_projections register_label_attr register_linter_set"""
)

# Commands and terms that run code while a module is elaborated.
RUNNING_WORDS = words(
    """run_cmd run_elab run_meta run_tac by_elab eval include_str include_bytes run_builtin_parser_attribute_hooks"""
)
ALLOWED_HASHES = words("#check #check_failure #print #guard #guard_expr #reduce #synth")

# What an instance with a hollow body is made of: it says nothing about its arguments.
HOLLOW = words(
    """⟨ ⟩ ( ) { } _ fun => , . · by exact isTrue isFalse true false True False trivial rfl default inferInstance infer_instance sorry
    assumption decide := where this Classical.propDecidable Classical.choice Classical.dec Classical.decEq Inhabited.default
    Decidable.isTrue Decidable.isFalse instDecidableTrue instDecidableFalse x y a b h"""
)
ASSERTING = frozenset(("isTrue", "isFalse", "Decidable.isTrue", "Decidable.isFalse"))
